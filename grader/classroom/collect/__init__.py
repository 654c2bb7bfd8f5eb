"""Collect: the work of a class, fetched without a checkout."""
