"""Walks over graphs, read back: the order of the student's `_backward` calls, and the lists of `build_topo`.

explain.py    facts for the report, with the lines of a wrong walk
findings.py   the first fault of one walk, or the statement of a loop with wrong contributions, as a fact
runs.py       walks as runs over graphs, from the jail's replies
graphs.py     the graphs, and the orders of well-known walks on them
"""
