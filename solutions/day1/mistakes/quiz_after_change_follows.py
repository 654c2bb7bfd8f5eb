"""quiz_after_change is -15, as if L were computed again when a changes. The operator computed
L.data once, when the line was executed; nobody tells L of the change.
"""
# fails: quiz

quiz_after_change = -15
