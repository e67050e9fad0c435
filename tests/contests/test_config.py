"""The configuration file: what is good is read, and every defect is named with its place."""

import re
from pathlib import Path

import pytest
from contests_toys import write_config

from arena.contests.config import StageConfig
from arena.contests.config_file import read_config, read_config_file
from arena.contests.stages.formats import FORMATS
from arena.errors import ArenaError

GOOD = """
[contest]
name = "Friday league"
game = "saloon"
maps = ["default", "desert"]
isolation = "bwrap+cgroup"
suspend_after = 3

[options]
turns = 100

[clock]
bank = "none"
turn = 0.5

[policy]
timeout = "strike"

[limits]
memory = "2 GiB"
processes = 100

[[bots]]
path = "bots/alice"

[[bots]]
path = "bots/others"
many = true

[[stages]]
format = "swiss"
rounds = 5
games = 4
tiebreaks = ["buchholz", "wins", "seed"]

[[stages]]
name = "final"
format = "double_elimination"
advance = 8
best_of = 3
"""

BAD = """
[contest]
game = ""
isolation = "iron"
suspendafter = 3

[clock]
bank = "long"

[limits]
memory = "much"
processes = 0

[[bots]]
pfad = "bots/alice"

[[stages]]
format = "swiss"
rounds = true

[[stages]]
format = "knockout"

[[stages]]
name = "x"
format = "ladder"
best_of = 3
maps = 3

[[stages]]
name = "x"
format = "groups"
advance = 4
"""


def test_a_good_configuration():
    config = read_config(GOOD)
    assert (config.name, config.game, config.maps) == ("Friday league", "saloon", ("default", "desert"))
    assert config.options == (("turns", 100),)
    assert config.clock == (("bank", None), ("turn", 0.5))
    assert config.limits == (("memory", "2 GiB"), ("processes", 100))
    assert [bot.path for bot in config.bots] == ["bots/alice", "bots/others"]
    assert config.bots[1].many
    assert config.stages[0] == StageConfig("swiss", "swiss", rounds=5, games=4, tiebreaks=("buchholz", "wins", "seed"))
    assert config.stages[1] == StageConfig("final", "double_elimination", advance=8, best_of=3)


def test_a_seed_may_be_a_number():
    assert read_config(GOOD.replace("suspend_after", "seed = 7\nsuspend_after")).seed == "7"


def test_all_defects_at_once_each_with_its_place():
    with pytest.raises(ArenaError) as caught:
        read_config(BAD, "league.toml")
    assert caught.value.message.splitlines() == [
        "league.toml:3: contest.game must be a text that is not empty, not ''.",
        "league.toml:4: contest.isolation must be one of none, limits, bwrap, bwrap+cgroup, not 'iron'.",
        "league.toml:5: contest.suspendafter is not known here (did you mean suspend_after?).",
        "league.toml:2: contest.name is missing.",
        "league.toml:8: clock.bank must be a number of seconds from 0 to 86400, or \"none\", not 'long'.",
        'league.toml:11: limits.memory must be a number, or a size such as "512 MiB", of at least 16 MiB, '
        "not 'much'.",
        'league.toml:12: limits.processes must be a number, or a size such as "512 MiB", of at least 4, not 0.',
        "league.toml:15: bots[0].pfad is not known here; known are groups, many, name, path, skill.",
        "league.toml:14: bots[0].path is missing.",
        "league.toml:19: stages[0].rounds must be a whole number from 1 to 999, not true.",
        "league.toml:22: stages[1].format must be one of round_robin, gauntlet, swiss, single_elimination, "
        "double_elimination, triple_elimination, quadruple_elimination, groups, free_for_all, elimination_tables, "
        "ladder, not 'knockout'.",
        "league.toml:27: stages[2].best_of is not known here; known are advance, format, maps, name, only, "
        "rated_matches, table.",
        "league.toml:28: stages[2].maps must be a list of texts, not 3.",
        "league.toml:30: stages[3].groups is missing.",
        "league.toml:17: stages has the name 'x' twice; give each stage its own name.",
        "league.toml:25: stages[2].name must be 'ladder': a contest has one ladder.",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = [", "is not valid TOML"),
        (f"name = {'9' * 5000}", "is not valid TOML"),
        (f"name = {'[' * 5000}", "is not valid TOML"),
        ("stages = 3\nbots = []\n[contest]\nname='a'\ngame='b'", "stages must be given at least once"),
        ("contest = 3", "contest must be a table"),
        ("[kontest]", "kontest is not known here (did you mean contest?)"),
        ("stages = [3]\nbots = [[]]\n[contest]", "stages[0] must be a table, not 3."),
        ("stages = [3, {name = [], format = []}]", "contest.toml:1: stages[1].name must be a name"),
        ("[[bots]]\npath = ''\nmany = true\nname = 'x'", "contest.toml:4: bots[0].name cannot be given to many bots"),
        ("[options]\nsize = [[1]]", "options.size must be a text, a number, true or false"),
        ("[[bots]]\npath = 'a'\nname = 'x'\n[[bots]]\npath = 'b'\nname = 'x'", "bots has the name 'x' twice."),
        ("[[stages]]\nformat = 'swiss'\nrounds = 2\nadvance = 3", "stages[0].advance has no meaning in the first"),
    ],
)
def test_other_defects(text, message):
    with pytest.raises(ArenaError) as caught:
        read_config(text)
    assert message in caught.value.message


DEADLINE = "# deadline = 2027-01-31T18:00:00+01:00"
ADDRESS = '# address = "https://arena.example.org"'
ZONE = '# time_zone = "Europe/Berlin"'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('isolation = "bwrap" ', 'isolation = "walls" ', "contest.toml:7: contest.isolation"),
        ("per_day = 20", "per_day = 0", "people.per_day"),
        ("per_day = 20", "per_dya = 20", "per_dya"),
        ("[contest]", "[contest", "not valid TOML"),
        (DEADLINE, "deadline = 5", "people.deadline"),
        (DEADLINE, "deadline = true", "not true."),
        (DEADLINE, 'deadline = "2027-01-31"', "people.deadline"),
        (DEADLINE, "deadline = 2027-01-31", "date-time such as 2027-01-31T18:00:00+01:00, not the local date"),
        (DEADLINE, "deadline = 2027-01-31 18:00:00", "people.deadline has no offset"),
        (DEADLINE, "deadline = 18:00:00", "not the local time 18:00:00."),
        (ADDRESS, 'address = "http://[::1"', "people.address must be an address"),
        (ADDRESS, 'address = "http://a..b"', "people.address must be an address"),
        (ZONE, 'time_zone = "Europe/Nowhere"', 'time_zone must be the name of a time zone such as "Europe/Berlin"'),
        (ZONE, 'time_zone = "../../etc/passwd"', "time_zone must be the name of a time zone"),
    ],
)
def test_defects_of_the_settings_for_people_have_one_message_with_place(tmp_path, old, new, message):
    with pytest.raises(ArenaError) as caught:
        read_config_file(write_config(tmp_path, (old, new)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("form", "message"),
    [("", "stages[0].format is missing."), ('format = "swis"', "stages[0].format must be one of")],
    ids=["missing", "unknown"],
)
def test_a_stage_without_a_known_format_has_its_other_defects_reported(form, message):
    text = f"""
[contest]
name = "a"
game = "b"
[[bots]]
path = "p"
[[stages]]
{form}
name = "!"
advance = 1
rounds = 0
tiebreaks = ["places"]
best_of = "three"
champions = ["p"]
winers = 1
"""
    with pytest.raises(ArenaError) as caught:
        read_config(text)
    found = [line.split(": ", 1)[1] for line in caught.value.message.splitlines()]
    assert sum(line.startswith(message) for line in found) == 1
    others = [line for line in found if not line.startswith(message)]
    assert [line.split(" ")[0] for line in others] == [
        "stages[0].name", "stages[0].advance", "stages[0].best_of", "stages[0].winers", "stages[0].advance"
    ]  # fmt: skip
    assert "did you mean winners?" in others[3]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ArenaError) as caught:
        read_config_file(tmp_path / "league.toml")
    assert "init" in caught.value.hint
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ArenaError, match="cannot be read"):
        read_config_file(tmp_path / "binary.toml")
    with pytest.raises(ArenaError, match="cannot be read: is a directory"):
        read_config_file(tmp_path)


def test_the_example_in_the_documents_is_good():
    text = (Path(__file__).parents[2] / "docs" / "running-a-contest.md").read_text()
    example, tables = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert [stage.format for stage in read_config(example).stages]
    head, _, _ = example.partition("[[stages]]")
    assert [stage.format for stage in read_config(head + tables).stages] == ["free_for_all", "elimination_tables"]
    formats = text.partition("\n| format |")[2].partition("|---")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\|([^|]+)\|", formats, re.MULTILINE)))) == {
        *FORMATS,
        "ladder",
    }
