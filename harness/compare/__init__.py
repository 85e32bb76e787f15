"""`dalang compare`: is the candidate better than the baseline, worse, or can that not be told?"""
