"""quiz_visited says that the search would never end. Only a cycle could keep it going, and the
graph of an expression has none. It ends, but see what is in the list by then.
"""
# fails: quiz

quiz_visited = "A"
