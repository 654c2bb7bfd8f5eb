"""Questions of an examination about a student's engine, answered by running it.

examination.py  the kinds of questions in order, and the graph of a sheet
graphs.py       graphs with small numbers, for sheets and for practice
runs.py         a graph in the engine: data, gradients, calls; also one that a student typed on the player's page

Kinds of questions, each with its words and the function that asks:

asked.py        values, the leaf that moves the root most; the third call, the number of calls, a gradient around a call;
                the line that makes a contribution
differences.py  the wrong number that their code gives, and the right one; the effect of an edit

Texts of the student and code are between backticks; a page shows them as code and escapes them.
"""
