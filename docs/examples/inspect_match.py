"""Inspect lets a model play matches of a game of Arena, and scores it by its points.

pip install inspect_ai openai arena-referee arena-snakes
inspect eval inspect_match.py --model openai/MODEL -T game=snakes -T opponent=builtin:forager
"""

from anyio.to_thread import run_sync
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arena.play.memory import MatchInMemory
from arena.text.form import first, position, read, things_of
from arena_player.schema import parse_schema

MOST = 3  # answers in a row that cannot be used


@task
def matches(game: str = "snakes", opponent: str = "builtin:forager", count: int = 10, replays: str = ".") -> Task:
    samples = [Sample(f"Match {seed}", id=seed) for seed in range(1, count + 1)]
    return Task(dataset=samples, solver=plays(game, opponent, replays), scorer=points())


@solver
def plays(game: str, opponent: str, replays: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        replay = f"{replays}/{game}-{state.sample_id}-{state.epoch}.arena"
        match = MatchInMemory(game, [None, opponent], seed=int(state.sample_id), replay=replay)
        schema, start = parse_schema(match.game.schema()), things_of(match.view(0))
        rules = ChatMessageSystem(content=first(schema, start, match.game.rules_text()))
        reason, bad = "", 0
        while await run_sync(match.play) is not None:  # in another thread: the opponent may think for long
            asked = f"{position(schema, things_of(match.view(0)), start)}\n{reason}\nYou are player 0. Your orders:"
            state.messages = [rules, ChatMessageUser(content=asked)]
            try:
                state = await generate(state)
            except Exception as error:  # no fault of the model: nobody has lost
                match.void(0, repr(error))
                raise
            match.note(0, f"{asked}\n{state.output.completion}")
            reading = read(schema, state.output.completion, match.legal_actions(0))
            answer = match.act(0, *reading.actions) if reading.actions else None
            reason = answer.message if answer else reading.reason
            bad = bad + 1 if reason and not (answer and answer.accepted) else 0
            if bad == MOST:
                match.resign(0, reason)
        state.metadata["result"] = match.result().to_document()
        return state

    return solve


@scorer(metrics=[mean()])
def points() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        player = state.metadata["result"]["players"][0]
        return Score(value=player["points"], explanation=f"{player['ending']} {player['detail']}".strip())

    return score
