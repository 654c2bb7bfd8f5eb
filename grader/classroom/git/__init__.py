"""Git without a checkout.

process.py    starts git within limits of time and output
remote.py     the address of a repository, fetching commits from it, and reading what was fetched by its hashes
"""
