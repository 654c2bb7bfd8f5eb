"""Questions of an examination about a student's engine, answered by running it.

examination.py  the table of the kinds with their words, and the graph of a sheet
graphs.py       graphs with small numbers, for sheets and for practice
runs.py         a graph in the engine: data, gradients, calls

Functions that ask about a run of the graph:

asked.py  values, the leaf that moves the root most; the third call, the number of calls, a gradient around a call; the
          line that makes a contribution; the wrong number that their code gives, and the right one; the effect of an edit
"""
