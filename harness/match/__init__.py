"""One match: the referee, the bots as processes, and the arena that joins them."""
