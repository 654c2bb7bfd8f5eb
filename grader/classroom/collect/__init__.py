"""`grade collect`: the work of a class, fetched into a folder.

collect.py      the command: whom to collect, from which repositories, until when; its output
collection.py   the folder: one student after another, records, files
selection.py    one student's work: the states that count, and their files
pushes.py       what GitHub says of a repository: the pushes, and why it holds no work
versions.py     the rule: the last work in time, and the last late work
"""
