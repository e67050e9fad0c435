"""verifiers evaluates and trains a model by matches of a game of Arena: the tasks, and the harness that plays them.

pip install verifiers arena-agents arena-snakes
vf-eval verifiers_match --env.agent.runtime.type subprocess -m MODEL -n 20

The program under test is `arena play`. verifiers gives it the address of the model, and records what goes through it;
prompts, retries and counts are those of every match with a language model.
"""

import json
import sys
from collections.abc import Iterator

import verifiers.v1 as vf

__all__ = ["ArenaHarness", "ArenaTaskset"]
NOT_REACHED = 24  # what `arena play` exits with if the provider has failed


class ArenaConfig(vf.TasksetConfig):
    game: str = "snakes"
    opponent: str = "builtin:forager"


class ArenaData(vf.TaskData):
    command: list[str]


class ArenaTask(vf.Task[ArenaData, vf.State, vf.TaskConfig]):
    @vf.reward
    async def points(self, trace: vf.Trace) -> float:
        return float(trace.info["player"]["points"])

    @vf.metric
    async def counts(self, trace: vf.Trace) -> dict[str, float]:
        player = trace.info["player"]
        return {**player["counts"], "lost_by_form": float(player["ending"] == "resigned")}


class ArenaTaskset(vf.Taskset[ArenaTask, ArenaConfig]):
    INFINITE = True

    def load(self) -> Iterator[ArenaTask]:
        seed = 0
        while seed := seed + 1:
            command = ["play", self.config.game, "llm:policy", self.config.opponent, "--seed", str(seed), "--json"]
            name = f"{self.config.game} {seed}"
            yield ArenaTask(ArenaData(name=name, prompt=f"Play {name}.", command=command), self.config.task)


class ArenaHarness(vf.Harness[vf.HarnessConfig]):
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: ArenaData,
    ) -> vf.ProgramResult:
        model = {"BASE_URL": endpoint, "API_KEY": secret, "MODEL": ctx.model}
        environment = {f"ARENA_LLM_POLICY_{name}": value for name, value in model.items()}
        program = [sys.executable, "-m", "arena", *data.command, "--replay", "match.arena"]
        result = await runtime.run_program(program, environment | self.config.resolved_env)
        if result.exit_code == NOT_REACHED:
            raise vf.ProviderError(json.loads(result.stdout)["players"][0]["detail"])
        if result.exit_code == 0:
            trace.info["player"] = json.loads(result.stdout)["players"][0]
        return result
