"""Grading: a submission goes through the jail and the checks, and becomes a Report.

grader.py        Grader, `grade` for a file, `grade_work` for one of many: verdicts, points, the Report
session.py       `open_suite`: one session of pytest over the check files; `_helpers.py`
suite.py         Suite, the plugin of pytest that runs each test over a submission and judges it
failures.py      a failed assert as data: actual value, expected value, expression
explanations.py  what is added to each verdict, under a deadline; one explanation for each cause
feedback.py      the messages of checks and the notes about cells
locations.py     the lines of the student's file behind an error, a slip or a failed test
fingerprints.py  known mistakes, found by the fingerprints of the tests that they fail
answers.py       sealed answers, and the fixture `answers` that judges by them
answerkey.py     answers.yaml: reading, sealing, faults
sealed.py        sealed.json: words that only the right value opens
"""
