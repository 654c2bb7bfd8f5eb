"""Sent into a jail that executes nothing of a student's: lines.py reads the statements of their file."""
