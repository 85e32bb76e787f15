"""Looks for the operator's secrets in its own environment.

Gains at: nobody
"""

import os

from attack import attack


def trial():
    return [
        name
        for name, value in os.environ.items()
        if "operators-secret" in value and not name.startswith("LC_")
    ]


attack(trial)
