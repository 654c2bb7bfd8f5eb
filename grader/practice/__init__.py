"""Practice: the commands of students on their own machines.

commands.py     `grade`, `grade DAY`, `grade watch`, `grade hint`, `grade play`, `grade walk`, ...
check.py        `check()` in a notebook
progress.py     bare `grade`, and stored progress: the last report, given hints, singly graded checks
hints.py        `grade hint`
play.py         `grade play`: the page of graphs, opened in the browser
walk.py         `grade walk`
reset.py        `grade reset`
watch.py        `grade watch`: when to grade
page.py         the page that it shows
"""
