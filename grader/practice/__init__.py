"""Practice: what a student does with an assignment on their own machine.

commands.py     `grade`, `grade DAY`, `grade watch`, `grade hint`, `grade play`, `grade walk`, ...
check.py        `check()` in a notebook
progress.py     bare `grade`, and what commands remember: the last report, hints given, checks graded alone
hints.py        `grade hint`
play.py         `grade play`: the page of graphs, opened in the browser
walk.py         `grade walk`
reset.py        `grade reset`
watch.py        `grade watch`: when to grade
page.py         the page that it shows
"""
