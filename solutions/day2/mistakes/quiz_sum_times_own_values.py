"""quiz_df_da and quiz_df_db hold the values of a and b. A gradient is not what a leaf is worth but
how far f moves with it, and a sum moves equally far with either input.
"""
# fails: quiz

quiz_df_da = 2
quiz_df_db = -3
