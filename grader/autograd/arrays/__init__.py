"""Rules of operations of arrays, read back from an engine's results on arrays of chosen shapes.

operations.py   the operations, with their right results and rules, and the shapes for trials
formulas.py     wrong formulas that an engine may have instead of a right rule
reductions.py   right and wrong ways to bring a contribution back to the shape of a stretched input
search.py       from numbers and errors to a rule: formula, reduction, and the way it is written into `grad`
probe.py        the request to the jail for every operation, and the wrong ones in its reply
explain.py      the facts about a failed check: a reading as a statement, compared with the right rule

Imported only for assignments with `arrays: true`.
"""
