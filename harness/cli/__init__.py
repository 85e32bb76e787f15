"""The command line: the verbs by subject, and what they print."""
