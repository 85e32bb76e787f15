"""`dalang serve`: a tournament on a web page while it is played, for spectators."""
