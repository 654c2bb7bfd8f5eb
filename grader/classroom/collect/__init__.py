"""`grade collect`: fetch the work of a class into a folder.

collect.py      the command: students, repositories, periods; its output
collection.py   the folder: records and files of each student
selection.py    one student's work: the commits that count, and their files
pushes.py       GitHub's answers about a repository: the pushes, and why it holds no work
versions.py     the choice between pushes: the last work on time, and the last late work
"""
