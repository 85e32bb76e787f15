"""What an agent sees and may do, as Gymnasium says it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from dalang.harness.learn.table import LearningTable

Seen = dict[str, npt.NDArray[Any]]
"""An observation: the numbers, and the mask of legal actions."""


def observation_space(table: LearningTable) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, 1.0, (table.encoding.size,), np.float32),
            "action_mask": spaces.Box(0, 1, (len(table.actions),), np.int8),
        }
    )


def action_space(table: LearningTable) -> spaces.Discrete:
    return spaces.Discrete(len(table.actions))
