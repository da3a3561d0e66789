"""Command line: the door for people and scripts.

Here: one module per command, loaded when its command runs.
Not here: what the commands do (app.py) and how results look (render/).
Sources: ARCHITECTURE floor 10.
"""
