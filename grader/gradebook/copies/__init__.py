"""Submissions that agree in an unlikely way: the odds, the sources side by side, a folder for other tools.

overview.py   `grade copies`: what it does, and the list in a terminal
agreement.py  the faults that students share, and the odds that they do by chance
sources.py    the code that students wrote, read from what was graded
words.py      the sentences of both lists
page.py       a page with both sources side by side
export.py     a folder that JPlag, Dolos and compare50 take
"""
