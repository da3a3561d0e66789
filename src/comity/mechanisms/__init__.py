"""Mechanisms: the pure rules, one room for each field.

Here: bargaining, auctions, sharing, voting, arbitration and deadlock; a rule is a function from
values to a result that explains itself.
Not here: who is asked and when (protocols/), storage (ledger/), any clock, chance or I/O; rooms
do not import each other.
Sources: ARCHITECTURE, "Floors"; SEMANTICS G1-G10.
"""
