"""Tournaments. `plan` computes the matches and tables, `run` plays the matches, and `report` shows the results."""

import os

# The matrices have a row for each bot, so they are small. Several BLAS threads take longer than one, above all while
# matches use the other processors: 40 systems of 100 equations take 3 ms with one thread, and 350 ms with two.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
