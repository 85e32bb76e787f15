"""What referee and bots say to each other."""
