"""Examination sheets: closed questions about a student's own submission, answered by running it.

commands.py  `grade viva`
classes.py   the sheets of a class, kept as facts and written as pages
practice.py  the same for a student at home
marks.py     a table for the examiner's marks
sheet.py     a sheet: what each kind asks, in two runs that must agree
choice.py    the choice of questions, as hard for everybody
keys.py      the random numbers of a student
graphs.py    the graphs that are asked about
work.py      one submission: its statements, and runs of it or of it with an edit
inside/      reads statements in a jail
question.py  what every question has
kinds/       the kinds of questions, a file each
words.py     the words of every question
pages.py     a sheet in HTML and Markdown
"""
