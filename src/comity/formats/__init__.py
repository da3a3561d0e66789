"""Formats: files in and out.

Here: scenario files in TOML and JSON with their JSON Schemas, score files.
Not here: what a scenario does (session/), ledger export (ledger/export.py).
Sources: ARCHITECTURE floor 4.
"""
