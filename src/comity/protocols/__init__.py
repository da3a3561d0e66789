"""Protocols: what parties say to each other, as pure machines.

Here: one room per protocol (messages, start, step, text grammar) and the masking pass they share.
Not here: any loop, clock or agent.
Sources: ARCHITECTURE floor 3.
"""
