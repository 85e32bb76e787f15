"""crash: eats memory until the limit stops it."""

from polite import enter

enter()
eaten = []
while True:
    eaten.append(bytearray(16 * 1024 * 1024))
