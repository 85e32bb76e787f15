"""Matches and tournaments between Python functions, without processes: for notebooks, learners and quick looks."""
