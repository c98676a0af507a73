"""Numbers that a benchmark and its peer agree on without a file: those of ../scattered.h."""

import numpy as np


def scattered(i: np.ndarray) -> np.ndarray:
    """Numbers i of a sequence without visible order in [0, 1): a 32-bit hash."""
    i = i.astype(np.uint32)
    i ^= i >> np.uint32(16)
    i *= np.uint32(0x7FEB352D)
    i ^= i >> np.uint32(15)
    i *= np.uint32(0x846CA68B)
    i ^= i >> np.uint32(16)
    return i / 2.0**32
