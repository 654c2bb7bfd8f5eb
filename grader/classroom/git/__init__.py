"""Git without a checkout.

process.py    starts git within limits of time and output
remote.py     the address of a repository, and fetching commits from it
objects.py    reads what was fetched: commits, folders and files by their hashes
"""
