"""Examination sheets: closed questions about a student's own submission, answered by running it.

commands.py  `grade viva`
classes.py   the sheets of a class, kept as facts and written as pages
practice.py  the same for a student at home
marks.py     a table for the examiner's marks
sheet.py     a sheet: what each kind asks, in two runs that must agree, and the choice, as hard for everybody
keys.py      the random numbers of a student
work.py      one submission: its statements, and jails with it or with it and an edit
inside/      reads statements in a jail, and the lines that a run reaches
kinds/       the kinds of questions that need no topic, with their words; a topic has its own in its room
pages.py     a sheet in HTML (sheet.html) and Markdown
"""
