"""Git without a checkout.

process.py    run git within limits of time and output
remote.py     the address of a repository; fetch its commits, and read their objects by hash
"""
