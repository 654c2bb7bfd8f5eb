"""A class and its grades: roster, results file, grades of record, and the tables for a learning platform.

commands.py   `grade report`, `override`, `diff` and `copies`
database.py   the results file, opened and brought up to date
store.py      its rows: gradings, overrides, posted texts, answers of hidden checks
in_force.py   overrides, and the choice of those that count
shared.py     merges copies of a results file, and deletes a student from all of them
roster.py     the students of a class, from a CSV or a platform's export; teams, who share a repository
settings.py   solutions/course.yaml: the class, and the weights of its total
late.py       due date, grace, extensions, penalty
gradedwork.py  a student's work with its grade: submission, report, overrides, lateness
grade.py      computes the grade of record; finds the students of the class
overrides.py  `grade override`
table.py      `grade override table`: overrides in a CSV
sentences.py  a grade in sentences, for the student and the instructor
feedback.py   `grade post --to DIR`: a page and a Markdown file for each student, zips for Moodle and Canvas
diff.py       `grade diff`: the students whose grade changed since it was posted, and why
findings.py   the mistakes in a report, under keys that are equal for students with the same mistake
survey.py     the class in figures, for the terminal and the class page
overview.py   `grade report`: the class in a terminal, or as a table
copies.py     `grade copies`: mistakes that few students share, and a folder with their code for other tools
totals.py     `grade report --all`: every day, and totals by the weights of solutions/course.yaml
classpage/    `grade report --html`: the class as a page, and a page for each student
export.py     the table of a class, and its columns for Canvas, Moodle, Gradescope and a spreadsheet
matching.py   matches students with the lines of a roster
spreadsheet.py  writes cells of a CSV that no spreadsheet takes for a formula
"""
