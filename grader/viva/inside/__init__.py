"""Code that is sent into a jail.

lines.py    reads the statements of a file; nothing of the student's is executed there
reached.py  notes the lines that a run of theirs reaches
"""
