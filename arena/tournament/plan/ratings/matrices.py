"""The little linear algebra that ratings need, for symmetric positive definite matrices as lists of rows."""

import math
from operator import mul

Matrix = list[list[float]]


def cholesky(matrix: Matrix) -> Matrix:
    """Return the lower triangular factor, rows cut at the diagonal.

    Raises:
        ValueError: Where the matrix is not positive definite.
    """
    rows: Matrix = []
    for index, source in enumerate(matrix):
        row: list[float] = []
        for column in range(index):
            above = rows[column]
            row.append((source[column] - sum(map(mul, row, above))) / above[column])
        row.append(math.sqrt(source[index] - sum(map(mul, row, row))))
        rows.append(row)
    return rows


def solve(factor: Matrix, right: list[float]) -> list[float]:
    """Return the x with A x = right, where `factor` is the Cholesky factor of A."""
    forward: list[float] = []
    for row, value in zip(factor, right, strict=True):
        forward.append((value - sum(map(mul, row, forward))) / row[-1])
    result = forward
    for index in range(len(factor) - 1, -1, -1):
        row = factor[index]
        result[index] /= row[-1]
        value = result[index]
        for column in range(index):
            result[column] -= row[column] * value
    return result


def inverse(factor: Matrix) -> Matrix:
    """Return the inverse of the matrix whose Cholesky factor is given."""
    count = len(factor)
    return [solve(factor, [float(row == column) for row in range(count)]) for column in range(count)]
