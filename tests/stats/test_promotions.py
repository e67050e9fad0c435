"""`arena climb` promotes few bots that are not stronger; `make stats` counts in 10,000 climbs."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from promotions import BUILT_IN, NOT_STRONGER, climbs, false_promotions


@pytest.mark.parametrize("name", ["equal to all bosses", "equal, half of the games drawn", "a copy of the second boss"])
def test_few_climbs_promote_a_bot_that_is_not_stronger(name):
    # 10,000 climbs give 0.5 to 1.5 percent. Of 100 climbs, 2 percent make 8 or more in 1 of 1,000 cases.
    assert false_promotions(NOT_STRONGER[name], 100) <= 0.05


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_same_bot_reaches_the_same_rung(name):
    reached, _ = climbs(BUILT_IN[name], 20)
    assert reached.most_common(1)[0][1] >= 19
