"""Backgrade: an autograder for courses that build backpropagation from scratch."""

__version__ = "0.1.0"
