"""A class and its grades: who is in it, what counts, and what a learning platform is given.

commands.py   `grade batch`, `report`, `override`, `diff` and `backup`
batch.py      `grade batch`: a class graded over an executor, each result kept at once; how far that is
session.py    in a worker: one submission after another, the checks collected once
database.py   the file of results, opened and brought up to date
store.py      its rows: gradings, overrides, what was posted, whom hidden checks answered
roster.py     who is in the class, by a CSV or the export of a platform
late.py       due date, grace, extensions, penalty
grade.py      the grade of record: a report, overrides and lateness together
overrides.py  `grade override`
sentences.py  a grade in sentences, for the student and the instructor
diff.py       `grade diff`: whose grade changes, and why
overview.py   `grade report`: the class in a terminal, or as a table
export.py     tables: CSV, Canvas, Moodle; cells in which no spreadsheet finds a formula
"""
