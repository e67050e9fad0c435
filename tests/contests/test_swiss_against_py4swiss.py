"""Swiss pairings against an independent implementation of the FIDE Dutch system."""

import random
from dataclasses import replace

import pytest
from contests_toys import by_strength, result_of, stage_played

from arena.contests.config import StageConfig

pytest.importorskip("py4swiss")


def trf_of(names, played, rounds):
    """The tournament so far as a report in the exchange format that FIDE defines (columns are fixed)."""
    numbers = {name: number for number, name in enumerate(names, 1)}
    results = {name: [] for name in names}
    points = dict.fromkeys(names, 0.0)
    for result in played:
        encounter = result.encounter
        for index, name in enumerate(encounter.players):
            points[name] += result.points[index] / 2
            if encounter.is_bye:
                results[name].append("0000 - U")
                continue
            other = encounter.players[1 - index]
            letter = {2.0: "1", 1.0: "=", 0.0: "0"}[result.points[index]]
            results[name].append(f"{numbers[other]:4} {'wb'[index]} {letter}")
    lines = ["012 Test", f"XXR {rounds}"]
    for name in names:
        line = f"001 {numbers[name]:4}      {name:33} {2000 - numbers[name]:4}"
        lines.append(f"{line:80}{points[name]:4.1f} {numbers[name]:4}  " + "  ".join(results[name]))
    return "\n".join(lines) + "\n"


def cost(pairs, points, lowest):
    """What a pairing asks of its players: squares of the differences in points, the bye against the last."""
    return sum((points[pair[0]] - (points[pair[1]] if len(pair) == 2 else lowest)) ** 2 for pair in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("size", [6, 7, 8, 9, 12, 16, 23, 32])
@pytest.mark.parametrize("draws", [0.0, 0.4])
def test_legal_wherever_the_dutch_system_finds_a_legal_pairing(size, draws, tmp_path):
    from py4swiss.engines import DutchEngine
    from py4swiss.engines.common import PairingError
    from py4swiss.trf import TrfParser

    rounds = min(9, size - 1)
    seed = random.Random(size).randrange(10**6)
    stage = StageConfig("swiss", "swiss", rounds=rounds, games=2)

    def decide(spec):
        # Both games of a pair end alike, so that they count as one game does there.
        if spec.number:
            spec = replace(spec, number=0, seats=spec.seats[::-1])
            return result_of({0: 1, 1: 0, None: None}[by_strength(spec, draws, seed).winner])
        return by_strength(spec, draws, seed)

    run = stage_played(size, stage, decide)
    names, results = run.names, run.decided()
    compared = 0
    for number in range(1, rounds + 1):
        before = [result for result in results if result.encounter.round < number]
        ours = [result.encounter.players for result in results if result.encounter.round == number]
        report = tmp_path / f"{number}.trf"
        report.write_text(trf_of(names, before, rounds))
        try:
            theirs = DutchEngine.generate_pairings(TrfParser.parse(report, strict=True))
        except PairingError:
            # There, colours can make the last rounds impossible; here seats are swapped within a pair of games.
            continue
        compared += 1
        met = {frozenset(result.encounter.players) for result in before}
        assert not met & {frozenset(pair) for pair in ours}, "a rematch (or a second bye) that was not forced"
        points = dict.fromkeys(names, 0.0)
        for result in before:
            for name, gained in zip(result.encounter.players, result.points, strict=True):
                points[name] += gained / 2
        pairs = [tuple(names[n - 1] for n in (pair.white, pair.black) if n) for pair in theirs]
        lowest = min(points.values())
        sort = [tuple(sorted(pair, key=lambda name: -points[name])) for pair in pairs]
        mine = [tuple(sorted(pair, key=lambda name: -points[name])) for pair in ours]
        if size % 2 == 0:
            assert cost(mine, points, lowest) <= cost(sort, points, lowest)
    assert compared >= rounds // 2
