"""The page of a class, `grade report DAY --html FILE`, and a page for each student in a folder beside it.

pages.py      reads the results file once, and writes the pages
*.html        their templates; charts.html draws the charts, as SVG
page.css      the look of the pages

Reports are read one after another: a class of any size needs the memory of one report, and of its names and figures.
"""

from grader.gradebook.classpage.pages import write_class_page

__all__ = ["write_class_page"]
