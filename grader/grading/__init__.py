"""Grading: a submission goes through the jail and the checks, and becomes a Report.

grader.py        Grader, `grade` for a file, `grade_work` for one of many: verdicts, points, the Report
verdicts.py      outcome and points of a check from its tests, and of the whole
checkresults.py  the checks of a report, each with outcome, points and message, before any explanation
suite.py         Suite: judges checks by replay where it can, and runs the others
suitehash.py     the hash of everything that decides a grade
records.py       replay.json: recorded requests, and marks of the reference's answers
session.py       one session of pytest over the check files; `_helpers.py`
plugin.py        the plugin of that session: collects tests, runs and judges them one at a time
run.py           one run over a submission, and one check file
failures.py      a failed assert as data: actual value, expected value, expression
hidden.py        hidden tests in their own jail: outcomes, and the explanations that reveal nothing
explanations.py  explanations of the verdicts, under a deadline; each cause once
facts.py         the kinds of facts that grading finds: errors, limits, blanks, answers, mistakes
traces.py        traces: a second, watched run of one test of each failed check
feedback.py      the messages of checks and the notes about cells
frame_words.py   what an error is about: names of its expression, what they hold, the line that set them
redefinitions.py  names with a second meaning: defined again, or hidden by a value or an attribute
special_methods.py  the special methods that Python asks for: one that is missing, or a hash that was lost
sharing.py       objects that calls or instances share by accident
locations.py     the lines of the student's file behind an error, a slip, a failed test or a `raise` that was left
fingerprints.py  known mistakes, found by the fingerprints of the tests that they fail
answers.py       sealed answers, and the fixture `answers` that judges by them
answerkey.py     answers.yaml: reading, sealing, faults
sealed.py        sealed.json: words that only the right value opens
workers.py       worker processes, as an executor: for a class (`fleet`) and for an author's commands (`authoring`)
"""
