"""A host tool's end of the protocol, for Python programs: find the host, connect, ask.

Made from frame.proto and service.proto. One thing is asked at a time; whoever wants more starts threads, and gives each
its own connection. Copy it beside a tool of your own.
"""

import os
import pwd
import socket
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
BUILD = os.path.join(HERE, "build")
if not os.path.isdir(BUILD):
    subprocess.run([os.path.join(HERE, "generate")], check=True, stdout=sys.stderr, stdin=subprocess.DEVNULL)
sys.path.insert(0, BUILD)

try:
    from google.protobuf.message import DecodeError

    from docent.service.v1 import service_pb2 as service
    from docent.wire.v1 import frame_pb2 as wire
except ModuleNotFoundError as error:
    sys.exit(f"{error}. If it is google.protobuf, install it with: sudo apt-get install python3-protobuf")

VERSION = 1
MOST_BYTES = 4_194_304


class Failure(Exception):
    """What the host says went wrong, in words for people; `code` is one of `docent.wire.v1.Code`."""

    def __init__(self, failure):
        super().__init__(" ".join([failure.message, *failure.causes]))
        self.code = failure.code


class Unreachable(Exception):
    """There is no host, or it does not follow the protocol."""


def socket_path(environment=os.environ):
    """Where the host of this environment listens. Every tool works it out in the same way."""
    home = pwd.getpwuid(os.getuid()).pw_dir

    def folder(name):
        value = environment.get(name, "")
        return value if value.startswith("/") else None

    root = environment.get("DOCENT_ROOT") or (folder("XDG_DATA_HOME") or (folder("HOME") or home) + "/.local/share") + "/docent"
    if not root.startswith("/"):
        raise Unreachable(f"DOCENT_ROOT is “{root}”: set it to an absolute path.")
    runtime = folder("XDG_RUNTIME_DIR")
    if runtime is None:
        usual = f"/run/user/{os.getuid()}"
        there = os.path.isdir(usual) and os.stat(usual).st_uid == os.getuid()
        runtime = usual if there else None
    runtime = f"{runtime}/docent" if runtime else f"/tmp/docent-{os.getuid()}"
    root = os.path.realpath(root)
    if root == os.path.realpath(home + "/.local/share/docent"):
        return f"{runtime}/host.sock"
    number = 0xCBF29CE484222325  # FNV-1a: the same in every language
    for byte in os.fsencode(root):
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{runtime}/host-{number:016x}.sock"


class Host:
    """A connection. Whatever is held through it is free when it is closed, however that comes about."""

    def __init__(self, tool, path=None):
        self._path = path or socket_path()
        self._next_id = 1
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(self._path)
        except OSError as error:
            self._socket.close()
            raise Unreachable(f"No host answers at {self._path} ({error.strerror}): start one with “docent host start”.") from error
        _, owner, _ = struct.unpack("3i", self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if owner != os.getuid():
            self._socket.close()
            raise Unreachable(f"{self._path} is served by another user, so it is not trusted.")
        self._stream = self._socket.makefile("rb")
        identity = service.ToolIdentity(name=tool)
        hello = wire.Hello(versions=[VERSION], software=tool, process_id=os.getpid(), context=identity.SerializeToString())
        self._send(hello=hello)
        reply = self._receive()
        if reply.WhichOneof("kind") != "hello_reply" or reply.hello_reply.version != VERSION:
            raise Unreachable("The host speaks another version of the protocol than this tool.")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()
        self._socket.close()

    def ask(self, progress=None, **call):
        """Asks one thing, named as in `ServiceRequest`, and gives the answer message. `progress(done, expected)` is called
        on the way, with bytes."""
        request_id, self._next_id = self._next_id, self._next_id + 2
        body = service.ServiceRequest(**call).SerializeToString()
        self._send(id=request_id, request=wire.Request(body=body))
        while True:
            frame = self._receive()
            kind = frame.WhichOneof("kind")
            if frame.id == 0:
                continue  # a notification
            if kind == "request" and frame.id % 2 == 0:
                # The host asks presenters only, and this tool has none.
                failure = wire.Failure(code=wire.UNIMPLEMENTED, message="This tool presents nothing.")
                self._send(id=frame.id, failure=failure)
            elif frame.id != request_id:
                raise Unreachable("The host answered something that was not asked.")
            elif kind == "progress" and progress:
                progress(frame.progress.bytes_done, frame.progress.bytes_expected)
            elif kind == "failure":
                raise Failure(frame.failure)
            elif kind == "answer":
                return service.ServiceAnswer.FromString(frame.answer.body)

    def reading(self, location, progress=None):
        """For a `with`: the path of a document's file. Meanwhile nobody writes to it."""
        return _Reading(self, location, progress)

    # Frames

    def _send(self, **fields):
        body = wire.Frame(**fields).SerializeToString()
        length, prefix = len(body), bytearray()
        while length > 0x7F:
            prefix.append(length & 0x7F | 0x80)
            length >>= 7
        prefix.append(length)
        try:
            self._socket.sendall(bytes(prefix) + body)
        except OSError as error:
            raise Unreachable(f"The host is gone ({error.strerror}).") from error

    def _receive(self):
        """The next frame that is not about the connection being alive."""
        while True:
            length = 0
            for position in range(4):
                byte = self._read(1)[0]
                length |= (byte & 0x7F) << (7 * position)
                if byte < 0x80:
                    break
            else:
                raise Unreachable("The host broke the protocol: a frame's length has more than 4 bytes.")
            if not 0 < length <= MOST_BYTES:
                raise Unreachable(f"The host broke the protocol: a frame of {length} bytes.")
            try:
                frame = wire.Frame.FromString(self._read(length))
            except DecodeError as error:
                raise Unreachable(f"The host broke the protocol: a frame cannot be read ({error}).") from error
            if frame.WhichOneof("kind") != "ping":
                return frame
            self._send(pong=wire.Pong(number=frame.ping.number))

    def _read(self, count):
        data = self._stream.read(count)
        if len(data) < count:
            raise Unreachable("The host has closed the connection.")
        return data


class _Reading:
    def __init__(self, host, location, progress):
        self._host, self._location, self._progress = host, location, progress

    def __enter__(self):
        access = service.BeginAccess(location=self._location, intent=service.READING)
        answer = self._host.ask(begin_access=access, progress=self._progress).begin_access
        self._access = answer.access
        return answer.path

    def __exit__(self, *_):
        self._host.ask(end_access=service.EndAccess(access=self._access))
