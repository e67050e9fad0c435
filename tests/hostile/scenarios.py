"""What hostile bots do, and how each must end. Every source is a whole bot, played for real."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

PLAYED_ON = ("won", "lost")
"""The attack came to nothing and the bot played to the end."""

AI = "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n"
PEER = "import peer, os, socket, time, sys, msgpack\n"


@dataclass(frozen=True)
class Scenario:
    """One attack.

    Attributes:
        name: For the test's id.
        source: The bot.
        endings: The endings that are right.
        detail: A piece of the message that must come with it.
        says: What the bot must have printed, if it got so far.
        never_says: What it must not have printed.
        turn: Seconds that a turn may take.
        level: Holds at this isolation level only; None for all.
    """

    name: str
    source: str
    endings: tuple[str, ...]
    detail: str = ""
    says: str = ""
    never_says: str = "REACHED"
    turn: float = 0.3
    level: int | None = None

    def __str__(self) -> str:
        return self.name


def in_turn(body: str) -> str:
    """A bot whose `run_turn` is this body."""
    return AI + "".join(f"        {line}\n" for line in dedent(body).strip().splitlines())


def raw(body: str) -> str:
    """A bot that speaks the wire by hand."""
    return PEER + dedent(body)


def trying(body: str) -> str:
    """A bot that tries something once, prints REACHED if it works and BLOCKED if not, and plays on."""
    lines = "".join(f"                {line}\n" for line in dedent(body).strip().splitlines())
    return (
        AI
        + "        if not getattr(self, 'tried', False):\n"
        + "            self.tried = True\n"
        + "            import ctypes, os, socket, subprocess, sys, time\n"
        + "            try:\n"
        + lines
        + "                print('REACHED')\n"
        + "            except BaseException as error:\n"
        + "                print('BLOCKED', type(error).__name__, error)\n"
    )


TIME = [
    Scenario("endless_loop", in_turn("while True: pass"), ("timed_out",)),
    Scenario("endless_loop_in_c", in_turn("sum(range(10 ** 12))"), ("timed_out",)),
    Scenario("sleeps_for_ever", in_turn("import time; time.sleep(1000)"), ("timed_out",)),
    Scenario(
        "ignores_every_signal",
        in_turn(
            """
        import signal
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        while True: pass
        """
        ),
        ("timed_out",),
    ),
    Scenario(
        "answers_when_asked_for_its_stack",
        raw(
            """
        import signal
        p = peer.Peer(); p.start()
        def late(*_):
            print("LATE", flush=True)
            p.act(); p.act()
        signal.signal(signal.SIGQUIT, late)
        while True: time.sleep(60)
        """
        ),
        ("timed_out",),
        "took longer than",
    ),
    Scenario(
        "floods_when_asked_for_its_stack",
        in_turn(
            """
        import os, signal
        def flood(*_):
            while True: os.write(2, b'  File "/bot/x.py", line 1 in f\\n' * 2000)
        signal.signal(signal.SIGQUIT, flood)
        while True: pass
        """
        ),
        ("timed_out",),
        "took longer than",
    ),
    Scenario(
        "leaves_when_asked_for_its_stack",
        in_turn("import os, signal\nsignal.signal(signal.SIGQUIT, lambda *_: os._exit(0))\nwhile True: pass"),
        ("timed_out",),
        "took longer than",
    ),
    Scenario(
        "many_processes_are_asked_for_their_stack",
        in_turn(
            """
        import os, signal
        signal.signal(signal.SIGQUIT, lambda *_: [os.fork() for _ in range(4)])
        for _ in range(20):
            try:
                if os.fork() == 0: break
            except OSError: break
        while True: pass
        """
        ),
        ("timed_out",),
        "took longer than",
    ),
    Scenario("sleeps_past_the_limit", in_turn("import time; time.sleep(0.3 + 0.02 + 0.01)"), ("timed_out",), level=2),
    Scenario("sleeps_in_every_turn", in_turn("import time; time.sleep(1.1)"), ("timed_out",), "took longer than"),
    Scenario("sleeps_within_the_limit", in_turn("import time; time.sleep(0.27)"), PLAYED_ON, level=2),
    Scenario(
        "burns_past_the_limit",
        in_turn(
            """
        import time
        end = time.process_time() + 0.335
        while time.process_time() < end: pass
        """
        ),
        ("timed_out",),
    ),
    Scenario(
        "writes_the_disk_past_the_limit",
        in_turn(
            """
        import os, time
        end = time.monotonic() + 1.1
        with open(os.__file__, "rb") as file:
            while time.monotonic() < end:
                os.sync()
                os.fsync(file)
        """
        ),
        ("timed_out",),
    ),
    Scenario(
        "burns_in_a_child",
        in_turn(
            """
        import os, time
        if os.fork() == 0:
            while True: pass
        os.wait()
        """
        ),
        ("timed_out",),
    ),
    Scenario("never_says_hello", "import time\ntime.sleep(1000)\n", ("no_start",), "was not ready within"),
    Scenario("connects_and_says_nothing", raw("p = peer.Peer(handshake=False)\npeer.forever()\n"), ("no_start",)),
    Scenario(
        "one_byte_a_second",
        raw(
            """
        p = peer.Peer(); p.start()
        for byte in peer.frame(msgpack.packb({"type": "act", "seq": p.seq, "actions": [{"type": "end_turn"}]})):
            p.socket.sendall(bytes([byte])); time.sleep(1)
        """
        ),
        ("timed_out",),
        level=2,
    ),
    Scenario(
        "never_reads",
        raw(
            "p = peer.Peer()\n"
            "p.send(type='hello', protocol=1, client='x', schema=None, legal_actions=True)\npeer.forever()\n"
        ),
        ("no_start",),
    ),
]

DEATHS = [
    Scenario("exits_at_once", "raise SystemExit(0)\n", ("no_start",), "exit code 0"),
    Scenario("raises_at_import", "raise RuntimeError('at import')\n", ("no_start",), "exit code 1"),
    Scenario("imports_what_is_not_there", "import does_not_exist\n", ("no_start",), "exit code 1"),
    Scenario("no_class", "x = 1\n", ("no_start",)),
    Scenario("raises_in_a_turn", in_turn("raise ValueError('in a turn')"), ("crashed",), "exit code 1"),
    Scenario("sys_exit_in_a_turn", in_turn("import sys; sys.exit(0)"), ("crashed",), "exit code"),
    Scenario("os_exit_in_a_turn", in_turn("import os; os._exit(0)"), ("crashed",), "exit code 0"),
    Scenario("segfault", in_turn("import ctypes; ctypes.string_at(0)"), ("crashed",), "SIGSEGV"),
    Scenario("abort", in_turn("import os; os.abort()"), ("crashed",), "SIGABRT"),
    Scenario(
        "kills_itself", in_turn("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"), ("crashed",), "SIGKILL"
    ),
    Scenario(
        "stack_overflow",
        in_turn(
            """
        import sys
        sys.setrecursionlimit(10 ** 9)
        def deeper(n): return [deeper(n + 1)]
        deeper(0)
        """
        ),
        ("crashed", "out_of_memory", "timed_out"),
    ),
    Scenario(
        "dies_when_losing",
        in_turn("if self.game.current_turn > 4:\n    import os; os._exit(3)"),
        ("crashed",),
        "exit code 3",
    ),
]

RESOURCES = [
    Scenario(
        "fork_bomb",
        in_turn(
            """
        import os
        while True:
            try: os.fork()
            except OSError: pass
        """
        ),
        ("timed_out", "crashed"),
    ),
    Scenario(
        "thread_bomb",
        in_turn(
            """
        import threading, time
        while True:
            threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
        """
        ),
        ("crashed", "timed_out", "out_of_memory"),
    ),
    Scenario(
        "memory",
        in_turn(
            """
        memory = []
        while True: memory.append(bytearray(b'x' * 16_000_000))
        """
        ),
        ("out_of_memory", "crashed", "timed_out"),
        turn=5.0,
    ),
    Scenario(
        "memory_of_children",
        in_turn(
            """
        import os, time
        for _ in range(8):
            if os.fork() == 0:
                memory = bytearray(b'x' * 200_000_000); time.sleep(100)
        time.sleep(100)
        """
        ),
        ("out_of_memory", "crashed", "timed_out"),
    ),
    Scenario(
        "fills_tmp",
        trying("with open('/tmp/x', 'wb') as f:\n    for _ in range(100): f.write(bytes(1_000_000)); f.flush()"),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "fills_shared_memory",
        trying("for n in range(100):\n    open(f'/dev/shm/{n}', 'wb').write(bytes(1_000_000))"),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "ten_thousand_files", trying("kept = [open('/dev/null') for _ in range(10_000)]"), PLAYED_ON, says="BLOCKED"
    ),
    Scenario(
        "floods_stdout",
        in_turn(
            """
        import os
        try:
            for _ in range(2000): os.write(1, b'flood ' * 20_000)
        except OSError: pass
        """
        ),
        (*PLAYED_ON, "timed_out", "crashed"),
    ),
    Scenario(
        "floods_stderr_without_end",
        in_turn("import os\nwhile True: os.write(2, b'x' * 65536)"),
        ("timed_out", "crashed"),
    ),
    Scenario(
        "overloads_the_host",
        in_turn(
            """
        import os
        if not getattr(self, 'forked', False):
            self.forked = True
            for _ in range(30):
                try:
                    if os.fork() == 0:
                        while True: pass
                except OSError: break
        """
        ),
        (*PLAYED_ON, "timed_out"),
    ),
]

WALLS = [
    Scenario(
        "escapes_pinning_by_a_fork_chain_while_it_starts",
        """
import os

for _ in range(20):
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print("REACHED" if len(os.sched_getaffinity(0)) > 1 else "BLOCKED", flush=True)
"""
        + in_turn("pass"),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "connects_to_loopback", trying("socket.create_connection(('127.0.0.1', 22), 1)"), PLAYED_ON, says="BLOCKED"
    ),
    Scenario("asks_dns", trying("socket.getaddrinfo('example.org', 80)"), PLAYED_ON, says="BLOCKED"),
    Scenario("netlink", trying("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"), PLAYED_ON, says="BLOCKED"),
    Scenario("vsock", trying("socket.socket(40, socket.SOCK_STREAM).connect((2, 1))"), PLAYED_ON, says="BLOCKED"),
    Scenario("reads_shadow", trying("print(open('/etc/shadow').read())"), PLAYED_ON, says="BLOCKED"),
    Scenario("reads_passwd", trying("print(open('/etc/passwd').read())"), PLAYED_ON, says="BLOCKED"),
    Scenario("reads_home", trying("os.listdir(os.path.expanduser('~root'))"), PLAYED_ON, says="BLOCKED"),
    Scenario(
        "looks_above_its_folder",
        trying("assert set(os.listdir('/bot/..')) & {'home', 'var', 'sys', 'boot', 'mnt'}"),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "reads_the_opponent", trying("assert 'Opponent' in open('/bot/opponent.py').read()"), PLAYED_ON, says="BLOCKED"
    ),
    Scenario("writes_into_its_folder", trying("open('/bot/x', 'w').write('x')"), PLAYED_ON, says="BLOCKED"),
    Scenario(
        "writes_into_the_library",
        trying("import arena_player; open(arena_player.__file__, 'a').write('#')"),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "remounts",
        trying(
            """
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mount(b'none', b'/', b'', 32 | 4096, b'') == 0
        """
        ),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "new_user_namespace",
        trying(
            """
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.unshare(0x10000000) == 0
        """
        ),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "traces_its_parent",
        trying(
            """
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.ptrace(16, 1, 0, 0) == 0
        """
        ),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario("writes_into_the_first_process", trying("open('/proc/1/mem', 'r+b')"), PLAYED_ON, says="BLOCKED"),
    Scenario("spares_the_first_process", trying("open('/proc/1/oom_score_adj', 'w')"), PLAYED_ON, says="BLOCKED"),
    Scenario("makes_a_terminal", trying("os.openpty()"), PLAYED_ON, says="BLOCKED"),
    Scenario(
        "looks_at_processes",
        trying(
            "assert any('arena.play.referee' in open(f'/proc/{p}/cmdline').read() for p in os.listdir('/proc') if p.isdigit())"
        ),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario("kills_everybody", in_turn("import os, signal\nos.kill(-1, signal.SIGKILL)"), (*PLAYED_ON, "crashed")),
    Scenario(
        "kills_its_first_process",
        in_turn("import os, signal\ntry: os.kill(1, signal.SIGKILL)\nexcept OSError: pass"),
        (*PLAYED_ON, "crashed"),
    ),
    Scenario("kills_its_group", in_turn("import os, signal\nos.killpg(0, signal.SIGTERM)"), ("crashed",), "SIGTERM"),
    Scenario("leaves_its_session", in_turn("import os\ntry: os.setsid()\nexcept OSError: pass"), PLAYED_ON),
    Scenario(
        "types_into_the_terminal", trying("import fcntl; fcntl.ioctl(0, 0x5412, b'x')"), PLAYED_ON, says="BLOCKED"
    ),
    Scenario(
        "double_forked_survivor",
        in_turn(
            """
        import os, time
        if not getattr(self, 'forked', False):
            self.forked = True
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    while True: time.sleep(0.1)
                os._exit(0)
            os.wait()
        """
        ),
        PLAYED_ON,
    ),
    Scenario("reads_stdin", trying("assert sys.stdin.read(1)"), PLAYED_ON, says="BLOCKED"),
    Scenario("closes_its_output", in_turn("import os\nos.close(1) if not self.game.current_turn else None"), PLAYED_ON),
    Scenario("closes_all_descriptors", in_turn("import os\nos.closerange(0, 256)"), ("crashed", "timed_out")),
    Scenario(
        "prints_like_the_protocol",
        in_turn('print(\'{"event":"result","result":{}}\'); print(\'\\x1b]0;owned\\x07\\x1b[2J\')'),
        PLAYED_ON,
        never_says="\x1b",
    ),
]

WIRE = [
    Scenario(
        "http",
        raw("p = peer.Peer(False); p.socket.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n'); peer.forever()\n"),
        ("no_start", "bad_message"),
        "ZeroMQ",
    ),
    Scenario(
        "old_zmtp",
        raw("p = peer.Peer(False); p.socket.sendall(bytes([1, 0]) * 40); peer.forever()\n"),
        ("no_start", "bad_message"),
    ),
    Scenario(
        "random_bytes",
        raw("p = peer.Peer(False); p.socket.sendall(os.urandom(4096)); peer.forever()\n"),
        ("no_start", "bad_message"),
    ),
    Scenario(
        "message_before_the_handshake",
        raw("p = peer.Peer(False); p.socket.sendall(peer.GREETING + peer.frame(b'x')); peer.forever()\n"),
        ("no_start", "bad_message"),
    ),
    Scenario(
        "random_message",
        raw("p = peer.Peer(); p.socket.sendall(peer.frame(os.urandom(200))); peer.forever()\n"),
        ("bad_message",),
    ),
    Scenario(
        "frame_too_long",
        raw("p = peer.Peer(); p.start(); p.socket.sendall(peer.frame(bytes(262145))); peer.forever()\n"),
        ("bad_message",),
        "262145",
    ),
    Scenario(
        "hundred_megabytes",
        raw(
            """
        p = peer.Peer(); p.start()
        p.socket.sendall(b'\\x02' + (100_000_000).to_bytes(8, 'big'))
        while True: p.socket.sendall(bytes(65536))
        """
        ),
        ("bad_message",),
        "100000000",
    ),
    Scenario(
        "frame_of_2_to_the_64",
        raw("p = peer.Peer(); p.start(); p.socket.sendall(b'\\x02' + b'\\xff' * 8); peer.forever()\n"),
        ("bad_message",),
    ),
    Scenario(
        "endless_parts",
        raw("p = peer.Peer(); p.start()\nwhile True: p.socket.sendall(peer.frame(bytes(60000), 1))\n"),
        ("bad_message",),
        "parts",
    ),
    Scenario(
        "floods_when_it_should_wait",
        raw(
            """
        p = peer.Peer(); p.start(); p.act()
        m = peer.frame(msgpack.packb({"type": "log", "seq": p.seq, "text": "x" * 1000}))
        while True: p.socket.sendall(m)
        """
        ),
        ("bad_message",),
    ),
    Scenario(
        "floods_with_logs_in_its_turn",
        raw(
            """
        p = peer.Peer(); p.start()
        m = peer.frame(msgpack.packb({"type": "log", "seq": p.seq, "text": "x" * 1000}))
        while True: p.socket.sendall(m)
        """
        ),
        ("bad_message",),
        "notes",
    ),
    Scenario(
        "deep_nesting",
        raw("p = peer.Peer(); p.start(); p.socket.sendall(peer.frame(b'\\x91' * 5000 + b'\\xc0')); peer.forever()\n"),
        ("bad_message",),
    ),
    Scenario(
        "amplification",
        raw(
            "p = peer.Peer(); p.start(); p.socket.sendall(peer.frame(b'\\xdd\\x00\\x00\\xff\\xf0' + b'\\x90' * 65520)); peer.forever()\n"
        ),
        ("bad_message",),
    ),
    Scenario(
        "duplicate_keys",
        raw(
            "p = peer.Peer(); p.start(); p.socket.sendall(peer.frame(b'\\x82\\xa4type\\xa3act\\xa4type\\xa3act')); peer.forever()\n"
        ),
        ("bad_message",),
    ),
    Scenario("unknown_type", raw("p = peer.Peer(); p.start(); p.send(type='win'); peer.forever()\n"), ("bad_message",)),
    Scenario(
        "missing_field",
        raw("p = peer.Peer(); p.start(); p.send(type='act', seq=p.seq); peer.forever()\n"),
        ("bad_message",),
    ),
    Scenario("extra_field", raw("p = peer.Peer(); p.start(); p.act(player=1); peer.forever()\n"), ("bad_message",)),
    Scenario(
        "sequence_number_true", raw("p = peer.Peer(); p.start(); p.act(seq=True); peer.forever()\n"), ("bad_message",)
    ),
    Scenario(
        "nan",
        raw(
            "p = peer.Peer(); p.start(); p.act({'type': 'move', 'cowboy': 'c1', 'x': float('nan'), 'y': 1}); peer.forever()\n"
        ),
        ("bad_message",),
    ),
    Scenario(
        "stale_sequence_number",
        raw("p = peer.Peer(); p.start(); p.act(seq=p.seq - 1); peer.forever()\n"),
        ("bad_message",),
        "request",
    ),
    Scenario(
        "future_sequence_number",
        raw("p = peer.Peer(); p.start(); p.act(seq=p.seq + 7); peer.forever()\n"),
        ("bad_message",),
        "request",
    ),
    Scenario(
        "two_replies_to_one_request",
        raw("p = peer.Peer(); p.start(); p.act(); p.act(); peer.forever()\n"),
        ("bad_message",),
    ),
    Scenario(
        "reply_in_the_opponents_turn",
        raw("p = peer.Peer(); p.start(); p.end_turn(); p.act(); p.act(); peer.forever()\n"),
        ("bad_message",),
    ),
    Scenario(
        "reply_before_any_request", raw("p = peer.Peer(); p.act(); peer.forever()\n"), ("bad_message", "no_start")
    ),
    Scenario(
        "pings",
        raw(
            """
        p = peer.Peer(); p.start()
        for _ in range(50): p.socket.sendall(peer.frame(b'\\x04PING\\x00\\x00', 4)); assert p.frame()[:5] == b'\\x04PONG'
        p.play_on()
        """
        ),
        PLAYED_ON,
    ),
    Scenario(
        "ping_flood",
        raw("p = peer.Peer(); p.start()\nwhile True: p.socket.sendall(peer.frame(b'\\x04PING\\x00\\x00', 4))\n"),
        ("bad_message",),
        "pings",
    ),
    Scenario(
        "unknown_commands",
        raw("p = peer.Peer(); p.start(); p.socket.sendall(peer.frame(b'\\x03FOO', 4)); p.play_on()\n"),
        PLAYED_ON,
    ),
    Scenario(
        "second_connection",
        raw(
            """
        p = peer.Peer(); p.start()
        try: peer.Peer(); print('REACHED')
        except OSError as error: print('BLOCKED', error)
        p.play_on()
        """
        ),
        PLAYED_ON,
        says="BLOCKED",
    ),
    Scenario(
        "reconnect_storm",
        raw(
            """
        p = peer.Peer(); p.start()
        for _ in range(3000):
            try: socket.socket(socket.AF_UNIX).connect(peer.path()); print('REACHED')
            except OSError: pass
        p.play_on()
        """
        ),
        PLAYED_ON,
    ),
    Scenario(
        "acts_without_reading",
        raw(
            """
        p = peer.Peer()
        p.send(type='hello', protocol=1, client='x', schema=None, legal_actions=True)
        p.receive(); p.receive()
        p.send(type='ready', seq=p.seq)
        while True:
            for _ in range(90):
                p.seq += 1; p.act({'type': 'move', 'cowboy': 'c9', 'x': 1, 'y': 1})
            p.seq += 1; p.act()
        """
        ),
        ("timed_out",),
        "bytes that were sent to it",
    ),
    Scenario(
        "acts_at_once_without_reading",
        raw(
            """
        p = peer.Peer()
        p.socket.setblocking(False)
        p.send(type='hello', protocol=1, client='x', schema=None, legal_actions=True)
        p.send(type='ready', seq=1)
        p.seq = 1
        p.socket.setblocking(True)
        while True:
            for _ in range(90):
                p.seq += 1; p.act({'type': 'move', 'cowboy': 'c9', 'x': 1, 'y': 1})
            p.seq += 1; p.act()
        """
        ),
        ("timed_out",),
        "bytes that were sent to it",
    ),
    Scenario(
        "answers_two_requests_at_once",
        raw(
            """
        p = peer.Peer(); p.start()
        refused = {"type": "act", "seq": p.seq, "actions": [{'type': 'move', 'cowboy': 'c9', 'x': 1, 'y': 1}]}
        ended = {"type": "act", "seq": p.seq + 1, "actions": [{"type": "end_turn"}]}
        p.socket.sendall(peer.frame(msgpack.packb(refused)) + peer.frame(msgpack.packb(ended)))
        p.receive()
        while p.receive()["type"] != "turn": pass
        p.play_on()
        """
        ),
        PLAYED_ON,
    ),
    Scenario(
        "long_refused_actions",
        in_turn(
            """
        import os
        for _ in range(95):
            junk = {os.urandom(4).hex(): os.urandom(450).hex() for _ in range(60)}
            assert not self.act({'type': 'move', 'cowboy': 'c9', **junk})
        """
        ),
        PLAYED_ON,
        turn=3.0,
    ),
    Scenario(
        "junk_in_actions",
        raw(
            """
        p = peer.Peer(); p.start()
        while True:
            junk = {os.urandom(4).hex(): os.urandom(450).hex() for _ in range(62)}
            p.act({'type': 'end_turn', **junk})
            while (answer := p.receive())["type"] != "turn":
                if answer.get("results", [None])[-1]: p.act({'type': 'end_turn'})
        """
        ),
        (*PLAYED_ON, "crashed"),
    ),
    Scenario(
        "hangs_up",
        raw("p = peer.Peer(); p.start(); p.socket.close(); peer.forever()\n"),
        ("crashed",),
        "closed its connection",
    ),
    Scenario(
        "hangs_up_and_ends_later",
        raw("p = peer.Peer(); p.start(); p.socket.close(); time.sleep(0.6); os._exit(3)\n"),
        ("crashed",),
        "exit code 3",
    ),
    Scenario(
        "illegal_actions_for_ever",
        in_turn("while True: self.act({'type': 'move', 'cowboy': 'c1', 'x': 0, 'y': 0})"),
        ("refused_too_often",),
    ),
    Scenario(
        "odd_values",
        in_turn(
            """
        for x in (-1, -0, 2 ** 62, True, None, 1.5, 'x', [], {}):
            assert not self.act({'type': 'move', 'cowboy': 'c1', 'x': x, 'y': 1})
        assert not self.act({'type': 'call_in', 'young_gun': 'g1' if self.index == 0 else 'g0', 'job': 'Brawler'})
        assert not self.act({'type': 'move', 'cowboy': {'id': 'c1'}, 'x': 1, 'y': 1})
        """
        ),
        PLAYED_ON,
    ),
    Scenario(
        "integer_of_2_to_the_63",
        raw("p = peer.Peer(); p.start(); p.act({'type': 'move', 'cowboy': 'c1', 'x': 2 ** 63, 'y': 1}); p.play_on()\n"),
        ("bad_message", *PLAYED_ON),
    ),
]

BURNERS = """
import ctypes, os, time

def take_slices_of(milliseconds):
    size, nanoseconds = 48, int(milliseconds * 1_000_000)
    attributes = size.to_bytes(4, "little") + bytes(20) + nanoseconds.to_bytes(8, "little") + bytes(16)
    ctypes.CDLL(None).syscall(314, 0, attributes, 0)

def burn(count, milliseconds=0):
    for _ in range(count):
        try:
            if os.fork() == 0:
                os.setsid()  # a scheduling group of its own, where the kernel groups by session
                if milliseconds: take_slices_of(milliseconds)
                while True: pass
        except OSError: break
"""


def burning(milliseconds: float, then: str) -> str:
    """A bot that starts 60 burning processes in its third turn, with scheduler slices of this length, and then loses."""
    body = f"""
        if self.game.current_turn >= 4:
            burn(60, {milliseconds})
            {then}
        """
    return BURNERS + in_turn(body)


LOAD = [
    Scenario(f"burners_{slices}_then_{name}", burning(milliseconds, then), ("timed_out",), "took longer than")
    for slices, milliseconds in (("as_they_come", 0), ("with_long_slices", 100), ("with_short_slices", 0.1))
    for name, then in (("endless_loop", "while True: pass"), ("sleep", "time.sleep(100)"))
]

WAITER = """
import ctypes, mmap, os, time
from pathlib import Path

libc = ctypes.CDLL(None)

def attempt(act, worked):
    "Try to get less of the processor. Print REACHED if it worked."
    try: act()
    except OSError: pass
    if worked(): print("REACHED", flush=True)

def weight():
    return os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)

def changes_weight(act):
    attempt(act, lambda: weight() != (os.SCHED_OTHER, 0))

def attributes(policy, nice):
    size = (48).to_bytes(4, "little")
    return size + policy.to_bytes(4, "little") + bytes(8) + nice.to_bytes(4, "little") + bytes(28)

def by_turns():
    "Two processes in two sessions wake each other, and compute almost nothing."
    here, there = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.setsid()
        while True: os.read(there[0], 1); os.write(here[1], b"x")
    while True: os.write(there[1], b"x"); os.read(here[0], 1)

def yielding(count):
    "Processes in sessions of their own give the processor away as soon as they have it."
    for _ in range(count):
        if os.fork() == 0:
            os.setsid()
            while True: os.sched_yield()

def read_past_the_cache():
    "Wait for the disk."
    buffer = mmap.mmap(-1, 1 << 20)
    while True:
        for path in Path("/usr/lib").rglob("*.so*"):
            try:
                file = os.open(path, os.O_RDONLY | os.O_DIRECT)
                while os.readv(file, [buffer]): pass
                os.close(file)
            except OSError: pass

def fault_for_ever():
    "Give pages back and touch them again, near the limit of memory."
    memory = mmap.mmap(-1, 400 << 20)
    while True:
        for place in range(0, len(memory), 4096): memory[place] = 1
        memory.madvise(mmap.MADV_DONTNEED)
"""


def waiting(body: str) -> str:
    """A bot that does this in its first turn. If that ends, it computes without end."""
    return WAITER + in_turn(dedent(body).strip() + "\nwhile True: pass")


WAITS = [
    Scenario(name, waiting(body), ("timed_out",), "took longer than")
    for name, body in {
        "lowers_its_autogroup": """
            attempt(lambda: Path("/proc/self/autogroup").write_text("19"),
                    lambda: Path("/proc/self/autogroup").read_text().strip()[-1:] == "9")
            """,
        "lowers_a_new_autogroup": """
            if os.fork(): os.wait()
            os.setsid()
            attempt(lambda: Path("/proc/self/autogroup").write_text("19"),
                    lambda: Path("/proc/self/autogroup").read_text().strip()[-1:] == "9")
            """,
        "is_nice": "changes_weight(lambda: os.nice(19))",
        "is_nice_to_all": "changes_weight(lambda: os.setpriority(os.PRIO_USER, 0, 19))",
        "is_nice_by_attributes": "changes_weight(lambda: libc.syscall(314, 0, attributes(0, 19), 0))",
        "runs_when_idle": "changes_weight(lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)))",
        "runs_when_idle_by_attributes": "changes_weight(lambda: libc.syscall(314, 0, attributes(5, 0), 0))",
        "runs_in_batches": "changes_weight(lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)))",
        "keeps_its_core_to_itself": "libc.prctl(62, 1, 0, 1, 0)",
        "chooses_a_busy_processor": """
            attempt(lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) + 1}), lambda: False)
            """,
        "yields_for_ever": "while True: os.sched_yield()",
        "computes_and_yields_for_ever": """
            end = time.process_time() + 0.25
            while time.process_time() < end: pass
            while True: os.sched_yield()
            """,
        "naps_for_ever": "libc.prctl(29, 1)\nwhile True: time.sleep(1e-6)",
        "wakes_its_child_for_ever": "by_turns()",
        "yields_in_many_sessions": "yielding(40)\nwhile True: os.sched_yield()",
        "waits_for_the_disk": "read_past_the_cache()",
        "faults_for_ever": "fault_for_ever()",
    }.items()
]

GROUPS = {"load": LOAD, "waits": WAITS, "time": TIME, "deaths": DEATHS}
GROUPS |= {"resources": RESOURCES, "walls": WALLS, "wire": WIRE}
