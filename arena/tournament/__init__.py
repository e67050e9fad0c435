"""Tournaments: what is to be played (`plan`), playing it (`run`), and showing it (`report`)."""

import os

# The matrices have a row for each bot. Synchronising the BLAS threads takes longer than the computation, above all
# while matches use the other processors: 40 systems of 100 equations take 3 ms with one thread, and 350 ms with two.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
