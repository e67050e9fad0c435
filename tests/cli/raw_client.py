"""A client with nothing but pyzmq and msgpack. DEFECT names what is wrong with it; nothing if it is empty."""

import os
import sys
import time

import msgpack
import zmq

DEFECT = ""


class Client:
    def __init__(self):
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.PAIR)
        self.socket.setsockopt(zmq.RECONNECT_IVL, 1)
        self.socket.setsockopt(zmq.LINGER, 500)
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.socket.connect(os.environ["ARENA_ENDPOINT"])
        self.objects = {}

    def send(self, **message):
        self.socket.send(msgpack.packb(message))

    def receive(self):
        poller = zmq.Poller()
        poller.register(self.socket, zmq.POLLIN)
        if DEFECT != "waits for a dead referee":
            poller.register(self.monitor, zmq.POLLIN)
        while True:
            ready = dict(poller.poll())
            if self.socket in ready:
                break
            if self.monitor in ready:
                sys.exit(3)
        data = self.socket.recv()
        if DEFECT == "has a small buffer" and len(data) > 1 << 20:
            raise MemoryError("the message is too long")
        return msgpack.unpackb(data)

    def apply(self, delta):
        seen = set()
        for name, field, value in zip(delta[::3], delta[1::3], delta[2::3], strict=True):
            if field == "+":
                if DEFECT == "knows no object that returns" and name in self.objects:
                    raise KeyError(name + " was there before")
                self.objects[name] = {"class": value}
            elif field == "-":
                if DEFECT != "knows no object that returns":
                    del self.objects[name]
            elif name in self.objects:
                if DEFECT == "expects each field once":
                    assert (name, field) not in seen, field
                    seen.add((name, field))
                self.objects[name][field] = value

    def play(self):
        schema = "0000" if DEFECT == "has another schema" else None
        self.send(type="hello", protocol=1, client="raw", schema=schema, legal_actions=True)
        message = self.receive()
        if message["type"] == "refused" and DEFECT == "stays when refused":
            time.sleep(60)
        if message["type"] != "welcome":
            return
        known = {"doc", "placed", "fields", "actions"}
        if DEFECT == "knows all keys" and any(set(one) - known for one in message["schema"]["classes"].values()):
            raise ValueError("unknown keys")
        message = self.receive()
        if message["type"] != "start":
            if DEFECT == "expects a start":
                raise ValueError(message["type"])
            return
        self.apply(message["view"])
        if DEFECT != "is never ready":
            self.send(type="ready", seq=message["seq"])
        while (message := self.receive())["type"] != "over":
            self.apply(message["delta"])
            for refusal in [one for one in message.get("results", ()) if isinstance(one, dict)]:
                if DEFECT == "never answers a refusal" and refusal["code"] != "too_late":
                    time.sleep(1000)
                if DEFECT == "stops at a refusal" and refusal["code"] != "too_late":
                    raise ValueError(refusal["code"])
                if DEFECT == "stops when it is late" and refusal["code"] == "too_late":
                    raise ValueError("too late")
            if message["type"] == "turn" or message["your_move"]:
                self.act(message)
            elif DEFECT == "talks out of turn":
                time.sleep(0.02)
                self.send(type="log", seq=message["seq"], text="done")
        if DEFECT == "stays after the end":
            time.sleep(60)
        if DEFECT == "fails at the end":
            sys.exit(4)

    def act(self, message):
        seq = message["seq"] + (DEFECT == "counts wrongly")
        action = message["legal_actions"][message["seq"] % len(message["legal_actions"])]
        if DEFECT == "sends unknown fields":
            self.send(type="act", seq=seq, actions=[action], note="hello")
        else:
            self.send(type="act", seq=seq, actions=[action])


Client().play()
