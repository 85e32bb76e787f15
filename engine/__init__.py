"""The referee's knowledge: rules as data in, data out. No I/O, no clock, no global randomness."""
