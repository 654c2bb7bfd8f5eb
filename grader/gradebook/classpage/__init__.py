"""The page of a class, `grade report DAY --html FILE`, and a page for each student in a folder beside it.

pages.py      the pages of the class, those that continue its table, and a student's
write.py      reads the results file once and writes all pages
*.html        their templates; charts.html draws the charts, as SVG
page.css      the look of the pages

The reports are read one after another, so a class of any size needs the memory of one report, beside names and figures.
"""

from grader.gradebook.classpage.write import write_class_page

__all__ = ["write_class_page"]
