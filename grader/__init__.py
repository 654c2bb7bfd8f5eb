"""Backgrade: an autograder for courses that build backpropagation from scratch."""
