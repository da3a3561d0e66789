"""Session: from recorded inputs to state, for every kind of decision.

Here: the registry kind -> machine, the fold, the replay.
Not here: who records and asks (runner/), where records are kept (ledger/).
Sources: ARCHITECTURE contracts 1 and 2; SEMANTICS K1, K2.
"""
