"""`make bench`: measure how fast this machine plays matches, beside floors measured in the same run.

`python tests/bench/figures GAME` measures another game; `--rules-only` leaves out the matches.
"""

from __future__ import annotations

import click
from figure import Figure
from matches import machine, match_figures
from rules import rules_figures

from arena.cli.output import print_json, print_table
from arena.match.lookup import find_game


@click.command()
@click.argument("game", default="saloon")
@click.option("--rules-only", is_flag=True, help="Measure only the rules, without matches.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(game: str, rules_only: bool, as_json: bool) -> None:
    """Measure the rules of GAME and, for Saloon, whole matches.

    Each figure is printed with its target, and with its ratio to the floor: the same work without Arena.
    """
    spec = find_game(game)
    if not as_json:
        click.echo(machine())  # noqa: TID251
    figures = list(rules_figures(spec))
    if spec.name == "saloon" and not rules_only:
        figures += match_figures()
    if as_json:
        print_json({"machine": machine(), "figures": [figure.to_document() for figure in figures]})
        return
    rows = [["figure", "median", "target", "x floor", ""]]
    rows += [_row(figure) for figure in figures]
    print_table(rows, right=(1, 2, 3))


def _row(figure: Figure) -> list[str]:
    least = ">=" if figure.unit == "1/s" else "<="
    target = "" if figure.target is None else f"{least} {figure.target:.4g}"
    ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
    mark = {True: "", False: "MISSED  ", None: ""}[figure.good]
    return [figure.name, f"{figure.value:.4g} {figure.unit}", target, ratio, mark + figure.note]


if __name__ == "__main__":
    command()
