"""Marks by hand: the answers to a day's manual checks on a page of this machine.

commands.py  `grade mark`
marker.py    the page's server for one day: it opens the works, the jail and the browser
server.py    the addresses of the page, and who may ask for them
desk.py      what a marker sees and does: groups of answers, marks, requests, in an order
marks.py     marks as overrides in the results file; groups of equal answers, nearly equal ones, shares
answers.py   a student's answer: the cells of a manual check, with their outputs
pictures.py  a student's pictures, drawn anew
words.py     a student's Markdown and printed text as HTML; names that are hidden
again.py     a cell that is run again in the jail
page.html    the page of a group, list.html that of all, marks.css and marks.js for both
"""
