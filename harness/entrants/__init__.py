"""Who plays: what a BOT is, how it is built, which files it is made of."""
