"""Authoring: what an author of a course writes, generates and validates.

commands.py        `grade new`, `grade stub` and `grade validate`
new.py             `grade new`: a small assignment that is sound
skeleton.py        the texts of its files
importing.py       `grade new --from`: the files of an assignment of another tool
foreign.py         a notebook of nbgrader or otter-grader as data: cells, questions, solutions between our markers
conversion.py      their tests as check files
reference.py       the author's reference: its solution blocks, its names, the notebooks made from it
mistakes.py        mistakes: read from mistakes/*.py, applied to the reference, run, sealed
recording.py       replay.json: the requests of every test over the reference
arrays.py          arrays in the recorded answers: changed a little, or rounded
runner.py          runs the checks over an author's code and caches the results
results.py         test results: the form in the cache, and the form for `grade validate`
workers.py         the processes that share the work
generated.py       `grade stub`: every generated file
validation.py      `grade validate`: looks for each fault, in order, and runs the notebooks in a real kernel
file_rules.py      the faults in the author's files
loopholes.py       tests that never run or cannot fail, and methods that students get by oversight
giveaways.py       solutions in files for students
grading_rules.py   the faults in the grades of the reference, the stub, null submissions and mistakes
"""
