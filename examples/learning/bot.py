"""Plays Die Augen der Kali with two as `train.py` has learnt it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from net import Net

from dalang import game
from dalang.kit import Request, run

KALI = game("kali")
ENCODING, ACTIONS = KALI.encoding(2), KALI.actions(2)
NET = Net.load(Path(__file__).parent / "weights.npz")


def choose(request: Request) -> int:
    seen = np.frombuffer(ENCODING.encode(request.view), np.float32)
    numbers = [ACTIONS.index(tuple(move), request.seat) for move in request.moves]
    mask = np.zeros(len(ACTIONS), np.float32)
    mask[numbers] = 1
    return numbers.index(int(NET.best(seen[None], mask[None])[0]))


if __name__ == "__main__":
    run(choose, name="learnt", games={"kali": [2]}, wants=["view"])
