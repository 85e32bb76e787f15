"""For those who write games: is it sound, and where to begin?"""
