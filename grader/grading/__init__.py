"""Grading: a submission through the jail and the checks to a Report."""
