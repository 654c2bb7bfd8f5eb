"""Examination sheets: closed questions about a student's own submission, answered by running it.

commands.py  `grade viva`
classes.py   the sheets of a class, and a sheet for practice
sheet.py     one sheet: the questions on which two runs agree, and a choice that is equally hard for every student
work.py      one submission: its statements, and jails that run it as handed in or with one edit
inside/      code for the jail: reads statements, and follows the lines that a run reaches
kinds/       the kinds of questions that need no topic, with their words; a topic's kinds are in the topic's room
pages.py     a sheet in HTML (sheet.html) and Markdown
"""
