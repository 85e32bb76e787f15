"""A season: bots come and go as folders, and the league plays on."""
