"""`grade collect`: the work of a class, fetched into a folder.

collect.py      the command: whom to collect, from which repositories, until when; its output
collection.py   the folder: one student after another, records, files
selection.py    one student's work: the commits that count, and their files
pushes.py       the pushes that GitHub lists for a repository
versions.py     the rule: the last work in time, and the last late work
take.py         the submission among a commit's files
handed_out.py   the files that students got, and what differs from them
elsewhere.py    reasons why a repository holds no work
"""
