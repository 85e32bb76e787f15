"""The verbs of the command line, by subject: parse, call, print."""
