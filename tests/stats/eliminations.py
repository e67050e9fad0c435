"""Play 400 random runs of triple and quadruple elimination for each number of bots from 3 to 64, and check each run."""

import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "contests"))
from test_elimination import FORMS, check


def many(form, count, runs):
    for seed in range(runs):
        check(count, form, seed, draws=(seed % 3) * 0.2)
    return form, count


def main(runs):
    with ProcessPoolExecutor() as pool:
        for form, count in pool.map(many, *zip(*product(FORMS, range(3, 65), [runs]), strict=True)):
            print(f"{form} of {count}: {runs} runs, each out after its last life, no rematch too many", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
