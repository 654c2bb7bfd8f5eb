"""quiz_two_fresh_graphs is what two passes over one and the same graph give. The inner nodes of a
fresh graph are new and start at 0; only the leaves remember the first pass.
"""
# fails: quiz

quiz_two_fresh_graphs = 24
