"""Agents: who answers an ask.

Here: scripted seats, rational seats without a model, command-line programs, people.
Not here: the loop that asks them (runner/), the terminal behind a person (cli/).
Sources: SEMANTICS C7; ARCHITECTURE floor 5.
"""
