"""Marks by hand: a page on this machine with the answers to a day's manual checks.

commands.py  `grade mark`
marker.py    opens the works, the jail and the browser, and serves the page for one day
server.py    the addresses of the page, and the guard of each request
desk.py      the marker's view and actions: groups of answers in an order, marks, requests
marks.py     marks as overrides in the results file; groups of equal and of nearly equal answers
answers.py   a student's answer: the cells of a manual check, with their outputs
pictures.py  redraws a student's pictures
words.py     a student's Markdown and printed text as HTML; hides names
again.py     runs a cell again in the jail
page.html    the page of a group; list.html shows all groups; marks.css and marks.js serve both
"""
