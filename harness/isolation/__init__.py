"""What a bot can see and touch: levels of isolation, each tried before it is relied on."""
