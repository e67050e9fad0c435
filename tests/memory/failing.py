"""A bot that fails in the way that its setting ``fails`` names, in its second turn. Without it, it ends its turns."""

import contextlib
import ctypes
import os
import re
import signal
import sys
import threading
import time

from arena_player import AI


class Failing(AI):
    """Ends its turns until it fails."""

    failed = False

    def start(self):
        self.call("start")

    def run_turn(self):
        if not self.failed and self.turn > 1:
            self.failed = True
            self.log("second turn")
            self.call("turn")
        self.game.end_turn()

    def end(self, outcome):
        self.call("end")

    def call(self, where):
        how = self.settings.get("fails", "").partition("_")
        if how[0] == where:
            getattr(self, how[2])()

    def loop(self):
        print("before the loop")
        while True:
            pass

    def stubborn(self):
        while True:
            with contextlib.suppress(BaseException):
                time.sleep(0.01)

    def sleep(self):
        time.sleep(1000)

    def backtracking(self):
        re.match(r"(a+)+b", "a" * 60)

    def lock(self):
        threading.Lock().acquire() and threading.Event().wait()

    def joined(self):
        thread = threading.Thread(target=self.loop, daemon=True)
        thread.start()
        thread.join()

    def exit(self):
        os._exit(3)

    def leave(self):
        sys.exit(4)

    def recursion(self):
        self.recursion()

    def segfault(self):
        ctypes.string_at(0)

    def abort(self):
        os.abort()

    def terminated(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1000)

    def thread(self):
        threading.Thread(target=self.loop).start()

    def flood(self):
        while True:
            print("x" * 1000)

    def unfinished(self):
        while True:
            sys.stdout.write("y")

    def memory(self):
        kept = []
        while True:
            kept.append(list(range(100_000)))

    def starved(self):
        raise MemoryError

    def raised(self):
        raise ValueError("on purpose")

    def interrupt(self):
        raise KeyboardInterrupt

    def silent(self):
        os.close(2)
        sys.stdout = sys.stderr = None

    def elsewhere(self):
        os.chdir("/")

    def acted(self):
        self.act({"type": "end_turn"})
        self.log("after the move")
        while True:
            pass
