"""Does a game keep its promises? For the tests of those who write games, here or in packages of their own.

`playing` walks through games of random moves, `comparing` says where two things differ, `checks` holds the
promises one by one, and `suite` checks them all. What other packages may rely on is named in `dalang.testing`.
"""
