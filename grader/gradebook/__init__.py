"""A class and its grades: the roster, the grades of record, and the tables for a learning platform.

commands.py   `grade report`, `override`, `diff` and `copies`
database.py   the results file, opened and brought up to date
store.py      its rows: gradings, overrides, posted texts, answers of hidden checks
in_force.py   overrides, and which of them count
shared.py     copies of a results file, brought together; a student taken out of all
roster.py     the students of a class, from a CSV or the export of a platform; teams, who share a repository
settings.py   solutions/course.yaml: the class, and the rule of its total
late.py       due date, grace, extensions, penalty
gradedwork.py  a student's work with its grade: what was handed in, its report, overrides, lateness
grade.py      the grade of record, computed anew from these each time; who is in the class
overrides.py  `grade override`
table.py      `grade override table`: overrides in a CSV
sentences.py  a grade in sentences, for the student and the instructor
feedback.py   `grade post --to DIR`: a page and a Markdown file a student, zips for Moodle and Canvas
diff.py       `grade diff`: the students whose grade changed since it was posted, and why
findings.py   what is wrong in a report, in a form that is equal for students with the same mistake
survey.py     the class in figures, for the terminal and the class page
overview.py   `grade report`: the class in a terminal, or as a table
copies.py     `grade copies`: the causes that few students share, and their code in a folder for other tools
totals.py     `grade report --all`: every day, and totals by the weights of solutions/course.yaml
classpage/    `grade report --html`: the class as a page, and a page for each student
export.py     the table of a class, and the files of Canvas, Moodle, Gradescope and a spreadsheet, each a choice of its columns
matching.py   students and lines of a roster
spreadsheet.py  cells of a CSV in which no spreadsheet finds a formula
"""
