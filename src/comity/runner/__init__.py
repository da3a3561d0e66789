"""Runner: the only loop.

Here: record, step, ask, record; the local runner.
Not here: what is decided (protocols/, mechanisms/), where it is kept (ledger/).
Sources: ENGINE 1-3; ARCHITECTURE contract 2.
"""
