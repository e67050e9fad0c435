"""Gradients of a policy, and the optimizer that follows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena_learn.policies.network import Policy

Array = NDArray[np.float32]


class Adam:
    """Changes weights by their gradients.

    Args:
        weights: The weights. They are changed in place.
        rate: How far a step goes.
    """

    def __init__(self, weights: Sequence[Array], rate: float) -> None:
        self._weights = weights
        self.rate = rate
        self._first = [np.zeros_like(one) for one in weights]
        self._second = [np.zeros_like(one) for one in weights]
        self._steps = 0

    def step(self, gradients: Sequence[Array]) -> None:
        """Take one step against the gradients."""
        self._steps += 1
        rate = self.rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for weight, gradient, first, second in zip(self._weights, gradients, self._first, self._second, strict=True):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            weight -= rate * first / (np.sqrt(second) + 1e-8)


def chances_of(scores: Array, legal: NDArray[np.int8]) -> Array:
    """Return the probability of each action, 0 for illegal ones."""
    masked = np.where(legal > 0, scores, -1e9)
    masked -= masked.max(1, keepdims=True)
    chances = np.exp(masked)
    made: Array = chances / chances.sum(1, keepdims=True)
    return made


def gradients_of(policy: Policy, inputs: Array, outputs: Array) -> list[Array]:
    """Return the gradients of all weights from those of the outputs."""
    if policy.units is not None:
        return policy.units.gradients(policy.weights, inputs, outputs)
    layers = [inputs]
    weights = policy.weights
    for number in range(0, len(weights) - 2, 2):
        layers.append(np.maximum(layers[-1] @ weights[number] + weights[number + 1], 0))
    found: list[Array] = []
    delta = outputs
    for number in range(len(weights) - 2, -1, -2):
        layer = layers[number // 2]
        found[:0] = [layer.T @ delta, delta.sum(0)]
        if number:
            delta = (delta @ weights[number].T) * (layer > 0)
    return found
