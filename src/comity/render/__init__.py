"""Rendering: how does a result look to a person?

Here: results as text, tables and SVG charts, made from their JSON.
Not here: what a result holds (core/results.py), where it is shown (cli/, web/).
Sources: ARCHITECTURE floor 9; SEMANTICS G1.
"""
