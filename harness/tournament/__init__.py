"""Many matches: what was agreed, who meets whom, who plays it, where it is kept, what counts and what it proves."""
