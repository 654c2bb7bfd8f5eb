"""Walks: the order of the student's `_backward` calls, read back."""
