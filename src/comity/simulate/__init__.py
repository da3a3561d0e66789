"""Simulate: how do strategies fare against each other over many negotiations?

Here: plans of tournaments, running them (in parallel, resumable), rows, standings, replay.
Not here: one negotiation (mechanisms/bargaining), the command (cli/tournament.py).
Sources: SEMANTICS M2, M3, G4; complaints 4, 5 and 29 of the research.
"""
