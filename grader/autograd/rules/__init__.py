"""Rules of operations, read back: the statements that give the engine's wrong numbers.

explain.py       facts for the report
wrong.py         the wrong operations: causes that no formula shows, then rules
probe.py         the request to the jail, and its reply
search.py        the search for a statement with the engine's numbers
candidates.py    statements that are one or two slips away from the right rule
tables.py        statements made of small expressions
edits.py         slips in an expression, each with its relation to the right rule
observations.py  the points, and the engine's numbers there
operations.py    the operations and their right rules
expressions.py   the language of rules
"""
