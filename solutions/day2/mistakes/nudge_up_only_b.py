"""nudge_up leaves out c. Its gradient is small, but positive: L rises with it too."""
# fails: leverage

nudge_up = ["b"]
