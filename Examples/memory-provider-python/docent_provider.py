"""A provider's end of the protocol, for Python programs: frames, hellos, requests, progress and cancel.

Made from frame.proto, provider.proto and docs/providers-in-other-languages.md. Nothing in it knows what is provided:
copy it beside a provider of your own.
"""

import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
BUILD = os.path.join(HERE, "build")
if not os.path.isdir(BUILD):
    try:
        subprocess.run([os.path.join(HERE, "generate")], check=True, stdout=sys.stderr, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        # In the sandbox a provider may start nothing.
        sys.exit(f"The protocol's messages were not made yet ({error}). Run ./build, or {HERE}/generate, once.")
sys.path.insert(0, BUILD)

try:
    from google.protobuf.message import DecodeError

    from docent.model.v1 import model_pb2 as model
    from docent.provider.v1 import provider_pb2 as provider
    from docent.wire.v1 import frame_pb2 as wire
except ModuleNotFoundError as error:
    sys.exit(f"{error}. If it is google.protobuf, install it with: sudo apt-get install python3-protobuf")

PREFACE = b"\x89DOC\r\n\x1a\n"
VERSION = 1
MOST_BYTES = 4_194_304
MOST_REQUESTS = 16
PROGRESS_INTERVAL = 0.05

INTRODUCTION = """\
{name} is a provider for Docent: a program that Docent starts by itself to reach documents that are kept elsewhere. \
It does nothing when it is started by hand.

To use it, put the folder that holds its provider.toml into ~/.local/share/docent/providers and run:

    docent provider list
    docent domain add NAME --provider IDENTIFIER
    docent ls NAME:/
"""


class Failure(Exception):
    """The bad end of a request: a code of `docent.wire.v1.Code` by name, one sentence for people, and what led to it."""

    def __init__(self, code, message, causes=()):
        super().__init__(message)
        self.code = wire.Code.Value(code)
        self.causes = list(causes)


class Broken(Exception):
    """The host does not follow the protocol."""


def check(name, call):
    """Refuses a call that lacks what it needs, before a provider sees it."""

    def require(is_right, what):
        if not is_right:
            raise Failure("INVALID_ARGUMENT", f"The host's request “{name}” makes no sense: {what}.")

    for field, limit in (("id", 4096), ("container_id", 4096), ("parent_id", 4096)):
        text = getattr(call, field, None)
        optional = field == "parent_id" and name == "modify"
        if text is not None:
            require(optional or text, f"“{field}” is missing")
            require(len(text.encode()) <= limit and "\0" not in text, f"“{field}” is no identifier")
    require(len(getattr(call, "page", b"")) <= 500, "its page token is too long")
    require(len(getattr(call, "content_version", b"")) <= 128, "its version is too long")
    for field in ("staging_path", "contents_path"):
        path = getattr(call, field, None)
        if path is not None and (path or field == "staging_path"):
            require(path.startswith("/") and "\0" not in path, f"“{field}” is no absolute path")
    if name in ("create", "modify", "delete"):
        require(1 <= len(call.operation.encode()) <= 128, "“operation” is missing")
    if name == "create":
        require(call.kind in (model.DOCUMENT, model.FOLDER, model.PACKAGE), "“kind” is missing")
        require(call.kind != model.DOCUMENT or call.contents_path, "a document without contents cannot be made")
        require(call.kind != model.FOLDER or not call.contents_path, "a folder has no contents")
    if name in ("prepare_picker", "validate_choice"):
        require(call.picker.session, "“session” is missing")
        modes = (provider.IMPORT, provider.OPEN, provider.EXPORT, provider.MOVE)
        require(call.picker.mode in modes, "“mode” is missing, or not known")
    if name == "validate_choice":
        require(call.WhichOneof("choice"), "nothing was chosen")
    if name == "end_picker":
        require(call.session, "“session” is missing")
    if name == "create" or (name == "modify" and call.name):
        is_name = call.name not in ("", ".", "..") and "/" not in call.name and len(call.name.encode()) <= 255
        require(is_name and all(ord(c) >= 0x20 and not 0x7F <= ord(c) < 0xA0 for c in call.name), "“name” is none")


class Transfer:
    """One request while it is answered: where to report progress, and to learn of a cancel."""

    def __init__(self, session, request_id):
        self._session, self._id, self._reported = session, request_id, 0.0
        self.cancelled = threading.Event()

    def report(self, done=0, expected=0):
        """Tells how many bytes are done; without numbers, that the work goes on. May be called at any rate."""
        now = time.monotonic()
        if now - self._reported >= PROGRESS_INTERVAL:
            self._reported = now
            self._session.send(id=self._id, progress=wire.Progress(bytes_done=done, bytes_expected=expected))

    def check(self):
        if self.cancelled.is_set():
            raise Failure("CANCELLED", "Nobody waits for it any more.")


class Session:
    def __init__(self):
        # Frames move to descriptors of their own (which children do not inherit); what prints, prints to the log.
        self._input = os.fdopen(os.dup(0), "rb")
        self._output = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(2, 1)
        self._writing = threading.RLock()
        self._lock = threading.Lock()
        self._running = {}  # the host's requests: id → Transfer
        self._asked = {}  # ours: id → [event, frame]
        self._next_id = 2
        self._closing = False
        self._has_left = False
        self._refusal = None

    # Frames

    def send(self, **fields):
        body = wire.Frame(**fields).SerializeToString()
        length, prefix = len(body), bytearray()
        while length > 0x7F:
            prefix.append(length & 0x7F | 0x80)
            length >>= 7
        prefix.append(length)
        self._write(bytes(prefix) + body)

    def _write(self, data):
        with self._writing:
            view = memoryview(data)
            while view:
                view = view[os.write(self._output, view):]

    def _read_frame(self):
        """The next frame; None at the end of the stream."""
        length = 0
        for position in range(4):
            byte = self._input.read(1)
            if not byte:
                if position:
                    raise Broken("the stream ended within a frame")
                return None
            length |= (byte[0] & 0x7F) << (7 * position)
            if byte[0] < 0x80:
                if byte[0] == 0:
                    raise Broken("a frame's length is 0 or padded")
                break
        else:
            raise Broken("a frame's length has more than 4 bytes")
        if length > MOST_BYTES:
            raise Broken(f"a frame of {length} bytes is over the limit")
        body = self._input.read(length)
        if len(body) < length:
            raise Broken("the stream ended within a frame")
        try:
            return wire.Frame.FromString(body)
        except DecodeError as error:
            raise Broken(f"a frame cannot be read ({error})") from error

    # The session

    def serve(self, open_domain, software):
        """Serves until the host says goodbye or is gone. `open_domain(settings, session)` gives the provider: an object
        with one method a call, named as in `ProviderRequest`, and a set of `capabilities`."""
        self._write(PREFACE)
        frame = self._read_frame()
        if frame is None:
            return
        if frame.id or frame.WhichOneof("kind") != "hello":
            raise Broken("the first frame is no hello")
        reply = wire.HelloReply(versions=[VERSION], software=software)
        if VERSION not in frame.hello.versions:
            self.send(hello_reply=reply)  # version 0: none in common
            return
        reply.version = VERSION
        reply.limits.frame_bytes, reply.limits.requests = MOST_BYTES, MOST_REQUESTS
        settings = provider.SessionSettings.FromString(frame.hello.context)
        self._provider = None
        try:
            self._provider = open_domain(settings, self)
        except Failure as failure:
            self._refusal = failure  # the hello says so, and each request fails with it
            reply.failure.code, reply.failure.message = failure.code, str(failure)
        capabilities = provider.SessionCapabilities(capabilities=getattr(self._provider, "capabilities", ()))
        reply.context = capabilities.SerializeToString()
        self.send(hello_reply=reply)
        while (frame := self._read_frame()) is not None:
            self._receive(frame)
            if self._leave():
                return
        # The host is gone: nobody wants what still runs.
        for transfer in list(self._running.values()):
            transfer.cancelled.set()

    def _leave(self):
        """Says goodbye, once, when it is time to: the host wants the end, and every request has its final frame."""
        with self._lock:
            if not self._closing or self._running or self._has_left:
                return False
            self._has_left = True
        self.send(goodbye=wire.Goodbye())
        return True

    def _receive(self, frame):
        kind = frame.WhichOneof("kind")
        if kind == "request":
            self._accept(frame.id, frame.request)
        elif kind in ("answer", "failure"):
            with self._lock:
                asked = self._asked.pop(frame.id, None)
            if asked is None:
                raise Broken(f"an answer to a request {frame.id} that nobody made")
            asked[1] = frame
            asked[0].set()
        elif kind == "cancel":
            transfer = self._running.get(frame.id)
            if transfer:
                transfer.cancelled.set()
        elif kind == "ping":
            self.send(pong=wire.Pong(number=frame.ping.number))
        elif kind == "shutdown":
            self._closing = True
        elif kind is None and frame.id:
            self.send(id=frame.id, failure=wire.Failure(code=wire.UNIMPLEMENTED, message="This request is not known."))

    def _accept(self, request_id, request):
        with self._lock:
            # Twice what was agreed: a request still counts here when its final frame is on its way.
            is_full = len(self._running) >= 2 * MOST_REQUESTS
            if not is_full and not self._closing:
                transfer = self._running[request_id] = Transfer(self, request_id)
        if is_full or self._closing:
            self.send(id=request_id, failure=wire.Failure(code=wire.BUSY, message="Too much at once, or ending."))
            return
        threading.Thread(target=self._answer, args=(request_id, request.body, transfer), daemon=True).start()

    def _answer(self, request_id, body, transfer):
        """Ends a request with exactly one answer or failure, whatever happens."""
        try:
            frame = {"answer": wire.Answer(body=self._call(body, transfer).SerializeToString())}
        except Failure as failure:
            frame = {"failure": wire.Failure(code=failure.code, message=str(failure), causes=failure.causes)}
        except OSError as error:
            frame = {"failure": wire.Failure(code=wire.LOCAL_STORAGE, message=f"A file could not be used: {error}.")}
        except Exception as error:  # pylint: disable=broad-except
            frame = {"failure": wire.Failure(code=wire.INTERNAL, message=f"The provider failed: {error!r}")}
        try:
            self.send(id=request_id, **frame)
            with self._lock:
                del self._running[request_id]
            if self._leave():
                os._exit(0)
        except OSError:
            pass  # the host is gone; the reader notices as well

    def _call(self, body, transfer):
        if self._refusal:
            raise self._refusal
        try:
            request = provider.ProviderRequest.FromString(body)
        except DecodeError as error:
            raise Failure("INVALID_ARGUMENT", "The request cannot be read.") from error
        name = request.WhichOneof("call")
        method = getattr(self._provider, name, None) if name else None
        if method is None:
            raise Failure("UNIMPLEMENTED", "The provider does not know the request.")
        call = getattr(request, name)
        check(name, call)
        result = method(call, transfer)
        answer = provider.ProviderAnswer()
        getattr(answer, name).SetInParent()  # also when it has no fields
        if result is not None:
            getattr(answer, name).CopyFrom(result)
        return answer

    # Towards the host

    def write_placeholder(self, item, transfer=None):
        """Has the host write an item's placeholder. Not before the hello is answered. Ends when `transfer` is cancelled."""
        self._ask(transfer, write_placeholder=provider.WritePlaceholder(item=item))

    def prompt(self, message, fields=(), url="", transfer=None):
        """Asks whoever signs in to the domain just now. `fields` are (key, label, is secret). Gives what was typed, by key.
        A Failure with NOT_AUTHENTICATED when nobody is signing in, or does not answer: let the call fail with it. For the
        capability “sign-in”."""
        fields = [model.PromptField(key=key, label=label, secret=secret) for key, label, secret in fields]
        prompt = model.Prompt(message=message, url=url, fields=fields)
        return dict(self._ask(transfer, 600_000, prompt=prompt).prompt.values)

    def load_secret(self, name):
        """What was stored under the name for this domain; None when nothing was."""
        answer = self._ask(load_secret=provider.LoadSecret(name=name)).load_secret
        return answer.value if answer.found else None

    def store_secret(self, name, value):
        """Keeps something secret with what the domain signs in with; an empty value removes it. It goes at sign-out."""
        self._ask(store_secret=provider.StoreSecret(name=name, value=value))

    def _ask(self, transfer=None, deadline=30_000, **call):
        """Asks the host, and waits for its answer."""
        asked = [threading.Event(), None]
        body = provider.HostRequest(**call).SerializeToString()
        # Ids grow in the order in which they go out: nobody else writes between the number and its frame.
        with self._writing:
            with self._lock:
                request_id, self._next_id = self._next_id, self._next_id + 2
                self._asked[request_id] = asked
            self.send(id=request_id, request=wire.Request(body=body, deadline_ms=deadline))
        while not asked[0].wait(0.1 if transfer else None):
            if transfer.cancelled.is_set():
                self.send(id=request_id, cancel=wire.Cancel())  # its final frame still comes, and is dropped
                transfer.check()
        if asked[1].WhichOneof("kind") == "failure":
            failure = asked[1].failure
            raise Failure(wire.Code.Name(failure.code) if failure.code in wire.Code.values() else "INTERNAL", failure.message)
        return provider.HostAnswer.FromString(asked[1].answer.body)

    def log(self, message, level="INFO"):
        event = provider.ProviderNotification(
            log=provider.LogMessage(level=provider.LogMessage.Level.Value(level), message=message)
        )
        self.send(notification=wire.Notification(body=event.SerializeToString()))


def main(open_domain, software):
    """The whole program."""
    if "DOCENT_PROVIDER_COOKIE" not in os.environ:
        sys.stderr.write(INTRODUCTION.format(name=os.path.basename(sys.argv[0])))
        sys.exit(64)
    status = 0
    try:
        Session().serve(open_domain, software)
    except BrokenPipeError:
        pass  # the host is gone
    except Broken as broken:
        print(f"The host broke the protocol: {broken}.", file=sys.stderr)
        status = 1
    sys.stderr.flush()
    os._exit(status)  # without waiting for threads that may be stuck
