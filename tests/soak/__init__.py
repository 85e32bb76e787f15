"""A night in little: tournaments that are killed, stopped and starved, beside one that must not grow (`make soak`)."""
