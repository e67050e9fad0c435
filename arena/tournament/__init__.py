"""Tournaments: what is to be played (`plan`), playing it (`run`), and showing it (`report`)."""

import os

# The matrices have a row for each bot. Threads of the BLAS library take longer to meet than to compute, above all while
# matches use the other processors: 40 systems of 100 equations take 3 ms with one thread, and 350 ms with two.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
