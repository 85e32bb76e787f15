"""Does a game keep its promises? For the tests of those who write games, here or in packages of their own.

`playing` walks through games of random moves, `comparing` says where two things differ, `promise` is how a promise is
checked, `checks` and `learners` hold them one by one, and `suite` checks them all. What other packages may rely on is
named in `dalang.testing`.
"""
