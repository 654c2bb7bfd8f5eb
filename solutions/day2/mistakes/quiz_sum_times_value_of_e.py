"""quiz_df_da and quiz_df_db hold the value of e. × swaps: the gradient of e is the value of the
other factor, and + then copies it to a and b.
"""
# fails: quiz

quiz_df_da = -1
quiz_df_db = -1
