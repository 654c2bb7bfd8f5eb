"""quiz_dd_da is 4, the local derivatives 1 and 3 added. Each of them is first multiplied by the
gradient of its own node, which is 6 for b and 3 for c.
"""
# fails: quiz

quiz_dd_da = 4
