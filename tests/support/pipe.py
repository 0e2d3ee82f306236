"""Two ends of RPC in one program."""

import asyncio
import json

from pagehand.platform.rpc import RpcPeer


class Pipe:
    """Two channels that hand texts to each other in the next turn of the loop."""

    def __init__(self):
        self.sent = []
        self.ends = [_End(self), _End(self)]
        self.ends[0].other, self.ends[1].other = self.ends[1], self.ends[0]


class _End:
    def __init__(self, pipe):
        self.pipe = pipe
        self.listener = None

    def send(self, text):
        self.pipe.sent.append(json.loads(text))
        asyncio.get_running_loop().call_soon(lambda: self.other.listener(text))

    def receive(self, listener):
        self.listener = listener


def pair(handlers):
    pipe = Pipe()
    return RpcPeer(pipe.ends[0]), RpcPeer(pipe.ends[1], handlers), pipe
