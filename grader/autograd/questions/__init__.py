"""Questions of an examination about a student's engine, answered by running it.

examination.py  the table of the kinds with their words, and the graph of a sheet
graphs.py       graphs with small numbers, for sheets and for practice
runs.py         a graph in the engine: data, gradients, calls

Functions that ask, about a run of the graph:

forward.py      a value of the forward pass, and the leaf that moves the root most
edit.py         what would come out if one line were another one
line.py         which line makes a contribution
backward.py     which node is called third, how many calls are made, a gradient just before or after a call
cause.py        wrong work: what their code leaves, and what is right
"""
