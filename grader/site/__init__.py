"""The course as a static site: a page a day, with an editor, and Python in the browser.

commands.py     `grade site`
folder.py       the files of a site; writes those that changed, for the days that a browser can run
pages.py        the start page, and a day's page with its data, from the templates beside it
markdown.py     a lesson's Markdown as HTML
packages.py     what Python imports there: the grader and its libraries
compiled.py     the same with compiled modules, made by the runtime itself
runtime.py      the runtime (Pyodide) and the one wheel that is built for it, pinned together
serve.py        serves a site here
page/           the scripts of the pages and the service worker; their sources are in page/src

In the browser, in a worker:

door.py         the function that the worker calls
desk.py         runs a cell, checks the notebook
play.py         plays a graph that a student typed on the player's page, in their own code
here.py         a jail in the same process: the jail's own code, a clock, no walls
"""
