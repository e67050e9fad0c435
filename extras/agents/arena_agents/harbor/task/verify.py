"""Grade the bot of this task, and write the reward. It runs as root in the verifier's container.

The folder of the bot is the work of an agent, and is not trusted: only `arena grade` gets it, reads it with limits, and
plays it in the sandbox. Whoever cannot play has the reward 0. If this container cannot isolate bots, or the grading
fails, there is no reward at all, and the exit code is 1.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

BOT = Path("/app/bot")
LOGS = Path("/logs/verifier")
RUBRIC = Path("/tests/rubric.toml")
ARENA = (sys.executable, "-I", "-m", "arena")
GRADER = 10001
"""The user that grades. It cannot write the reward, and makes the sandbox, for which root needs CAP_SYS_ADMIN."""


def main(seconds: float) -> int:
    """Grade for at most so many seconds. Return the exit code."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as kept:
        os.chown(home, GRADER, GRADER)  # Arena's cache begins empty
        if run(["doctor", "--require", "2"], home, Path(kept), 60) != 0:
            return failed(f"This container cannot isolate bots. Nothing was graded.\n{said(kept, 'out')}")
        if BOT.is_symlink() or not BOT.is_dir():
            return reward(0.0, f"There is no bot in {BOT}.")
        subprocess.run(["/bin/chown", "-Rh", f"{GRADER}:{GRADER}", str(BOT)], check=True)
        rubric = RUBRIC.read_text(encoding="utf-8")
        game = tomllib.loads(rubric)["rubric"]["game"]
        rubric = rubric.replace("[rubric]", f'[rubric]\nseed = "{secrets.token_hex(16)}"', 1)
        drawn = Path(home, "rubric.toml")
        drawn.write_text(rubric, encoding="utf-8")
        (Path(home) / "opponents").symlink_to(RUBRIC.with_name("opponents"))
        code = run(["grade", game, str(BOT), "--rubric", str(drawn), "--json"], home, Path(kept), seconds)
        output, errors = said(kept, "out"), said(kept, "err")
    for name, text in (("rubric.toml", rubric), ("grade.json", output), ("grade.log", errors)):
        new_file(name).write_text(text, encoding="utf-8")
    if code is None:
        return reward(0.0, f"The games took more than {seconds:g} s.")
    if code:
        return failed(f"The grading failed with exit code {code}:\n{errors}")
    grades = json.loads(output)
    for item in grades["tests"]:
        print(f"{item['name']}: {item['output']}")
    return reward(grades["score"] / grades["extra_data"]["max_score"], grades["output"])


def run(arguments: list[str], home: str, kept: Path, seconds: float) -> int | None:
    """Run Arena as the user that grades. Return its exit code; None if it took too long and was killed."""
    with (
        (kept / "out").open("wb") as out,
        (kept / "err").open("wb") as err,
        subprocess.Popen(
            [*ARENA, *arguments],
            cwd=home,
            env={"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            user=GRADER,
            group=GRADER,
            extra_groups=[],
        ) as process,
    ):
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


def said(folder: str, name: str) -> str:
    return Path(folder, name).read_text(encoding="utf-8", errors="replace")


def new_file(name: str) -> Path:
    """Return the path of a result, where nothing is: no file that was planted, and no link that leads elsewhere."""
    if LOGS.is_symlink() or not LOGS.is_dir():
        LOGS.unlink(missing_ok=True)
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / name
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    return path


def reward(value: float, reason: str) -> int:
    print(f"Reward {value:.4f}. {reason}")
    new_file("reward.json").write_text(json.dumps({"reward": round(value, 4)}) + "\n", encoding="utf-8")
    return 0


def failed(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 1


if __name__ == "__main__":
    for file in ("reward.json", "reward.txt"):
        new_file(file)
    sys.exit(main(float(sys.argv[1])))
