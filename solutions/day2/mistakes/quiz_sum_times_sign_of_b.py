"""quiz_df_db has the sign of b. That b is negative does not matter here: when b goes up, e goes up
by as much, just as it does with a. + copies the gradient to both inputs.
"""
# fails: quiz

quiz_df_db = -10
