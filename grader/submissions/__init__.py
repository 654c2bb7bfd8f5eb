"""The work that students handed in: one file, or a class in a folder, a zip of a platform, a collected folder.

states.py      what is there of a student's work, or why there is nothing; state_words.py has it in words
work.py        a student's work: the facts about it, and the bytes
submission.py  a notebook or a .py file, as blocks of source
notebook.py    the cells of a notebook, read as JSON
intake.py      the rules for a file that is to be graded, and the earlier work that it continues
find.py        the students of a source
platforms.py   the students' names: one's own, and those of Canvas, Moodle and Gradescope
choice.py      the choice of the submission among a student's files
tree.py        files below a folder: on disk, or parts of another tree
archive.py     the files in a zip
handed_out.py  the part of a file that is graded, the notebooks that students got, and what is as it was handed out
collected.py   the folder that `grade collect` fills
keys.py        a student's key
"""
