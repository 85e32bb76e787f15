"""A small neural network in numpy: from what a seat sees to a liking for each action, and a guess how it will end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

HIDDEN = 64
ILLEGAL = -1e9


class Net:
    """One hidden layer; its weights are a dict of arrays, so that an optimiser can go through them."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.weights = weights

    @classmethod
    def new(cls, numbers: int, actions: int, rng: np.random.Generator) -> Net:
        def layer(size: int, to: int, scale: float) -> Any:
            return (rng.standard_normal((size, to)) * scale / np.sqrt(size)).astype(np.float32)

        return cls(
            {
                "inner": layer(numbers, HIDDEN, 1.0),
                "inner_bias": np.zeros(HIDDEN, np.float32),
                "policy": layer(HIDDEN, actions, 0.01),
                "policy_bias": np.zeros(actions, np.float32),
                "value": layer(HIDDEN, 1, 0.01),
                "value_bias": np.zeros(1, np.float32),
            }
        )

    def copy(self) -> Net:
        return Net({name: weight.copy() for name, weight in self.weights.items()})

    def thought(self, seen: Any) -> Any:
        return np.tanh(seen @ self.weights["inner"] + self.weights["inner_bias"])

    def value(self, thought: Any) -> Any:
        return (thought @ self.weights["value"] + self.weights["value_bias"])[:, 0]

    def chances(self, thought: Any, masks: Any) -> Any:
        """How likely each action is to be chosen; what is not legal never is."""
        liked = thought @ self.weights["policy"] + self.weights["policy_bias"]
        liked = np.where(masks > 0, liked, ILLEGAL)
        liked = np.exp(liked - liked.max(axis=1, keepdims=True))
        return liked / liked.sum(axis=1, keepdims=True)

    def play(self, seen: Any, masks: Any, rng: np.random.Generator) -> Any:
        """An action for each row, drawn by its chance."""
        chances = self.chances(self.thought(seen), masks).cumsum(axis=1)
        return (chances < rng.random((len(seen), 1)) * chances[:, -1:]).sum(axis=1)

    def best(self, seen: Any, masks: Any) -> Any:
        """The likeliest action for each row."""
        return self.chances(self.thought(seen), masks).argmax(axis=1)

    def save(self, path: Path) -> None:
        np.savez(path, **self.weights)

    @classmethod
    def load(cls, path: Path) -> Net:
        with np.load(path) as stored:
            return cls(dict(stored))
