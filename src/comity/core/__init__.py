"""Core: the values every other floor speaks in.

Here: parties and rosters, units, exact numbers, canonical JSON, ties and lots,
results and their grounds, the shape of a machine's step, errors.
Not here: any rule that decides (mechanisms/), any I/O, clock or randomness.
Sources: SEMANTICS G1-G9.
"""
