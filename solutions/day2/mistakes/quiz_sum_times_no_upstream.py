"""quiz_df_da and quiz_df_db are 1: that is the local derivative of + alone. The chain rule
multiplies it by the upstream gradient, for f moves c times as far as e.
"""
# fails: quiz

quiz_df_da = 1
quiz_df_db = 1
