"""The work that students handed in: one file, or a class in a folder, a zip of a platform, a collected folder.

states.py      the states of a student's work; state_words.py puts them into sentences
work.py        a student's work: the facts about it, and the bytes
submission.py  a notebook or a .py file, as blocks of source
notebook.py    the cells of a notebook, read as JSON
intake.py      the conditions for a file that is to be graded, and the earlier work that it continues
find.py        the students of a folder, a zip or an export
platforms.py   the students' names: the instructor's own, and those of Canvas, Moodle and Gradescope
choice.py      the choice of the submission among a student's files
tree.py        files below a folder on disk, and the most that is read for one student
archive.py     the files in a zip
handed_out.py  the graded part of a file, the notebooks that students got, and whether they changed them
collected.py   the folder that `grade collect` fills
keys.py        a student's key
"""
