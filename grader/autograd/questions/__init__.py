"""Questions of an examination about a student's engine, answered by running it.

examination.py  the kinds, and the graph of a sheet
graphs.py       graphs with small numbers, for sheets and for practice
runs.py         a graph in the engine: data, gradients, calls
words.py        the words of every question

A file for each kind has its fact and a function that asks:

forward.py      a value of the forward pass, and the leaf that moves the root most
edit.py         what would come out if one line were another one
line.py         which line makes a contribution
backward.py     which node is called third, how many calls are made, a gradient just before or after a call
cause.py        wrong work: what their code leaves, and what is right
"""
