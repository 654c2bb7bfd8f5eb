"""quiz_changed_later is 0, as if changing data undid the graph. The node keeps its pairs, and the
loop uses them as they are.
"""
# fails: quiz

quiz_changed_later = 0
