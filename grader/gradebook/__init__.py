"""A class and its grades: who is in it, what counts, and what a learning platform is given.

roster.py    who is in the class, by a CSV or the export of a platform
late.py      due date, grace, extensions, penalty
record.py    the grade of record: a report, overrides and lateness together
changes.py   who changes, and why, between two of them
export.py    gradebooks: CSV, Canvas, Moodle
cells.py     cells in which no spreadsheet finds a formula
"""
