"""Code that is sent into a jail.

lines.py    reads the statements of a file, and executes no student code
reached.py  follows the lines that a run reaches
"""
