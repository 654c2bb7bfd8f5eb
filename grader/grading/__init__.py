"""Grading: a submission goes through the jail and the checks, and becomes a Report.

grader.py        Grader, `grade` for a file, `grade_work` for one of many: verdicts, points, the Report
verdicts.py      outcome and points of a check from its tests, and of the whole
checkresults.py  the checks of a report, each with outcome, points and message, before any explanation
suite.py         Suite: settles tests by replay and from memory, and has the others run
suitehash.py     the hash of everything that decides a grade
records.py       replay.json: recorded requests, and marks of the reference's answers
session.py       one session of pytest over the check files; `_helpers.py`
plugin.py        the plugin of that session: collects tests, runs and judges them one at a time
run.py           one run over a submission, and one check file
failures.py      a failed assert as data: actual value, expected value, expression
hidden.py        hidden tests in a jail of their own: outcomes, and what can be told of them
explanations.py  what is added to each verdict, under a deadline; one explanation for each cause
facts.py         the kinds of facts that grading finds: errors, limits, blanks, answers, mistakes
traces.py        a failed check's test once more, watched, where a trace is asked for
feedback.py      the messages of checks and the notes about cells
frame_words.py   what an error is about: names of its expression, what they hold, the line that set them
redefinitions.py  names with a second meaning: defined again, or hidden by a value or an attribute
special_methods.py  the special methods that Python asks for: one that is missing, or a hash that was lost
sharing.py       what objects or calls share without meaning to, seen while the first failed test runs once more
locations.py     the lines of the student's file behind an error, a slip, a failed test or a `raise` that was left
fingerprints.py  known mistakes, found by the fingerprints of the tests that they fail
answers.py       sealed answers, and the fixture `answers` that judges by them
answerkey.py     answers.yaml: reading, sealing, faults
sealed.py        sealed.json: words that only the right value opens
"""
