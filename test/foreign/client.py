"""A client of mustard-sandbox's sidecar in Python, with the standard library only.

It uses nothing that docs/reference/protocol.md does not say, and is there to be read next to that page. `Sidecar` is the client;
`scenario.py` beside it drives it through everything that a client has to expect.

    with Sidecar(["/path/to/node", "/path/to/@mustard-sandbox/daemon/dist/main.cjs"]) as sidecar:
        print(sidecar.run("a + b", inputs={"a": 1, "b": 2}).value)
"""

import json
import math
import os
import queue
import re
import signal
import subprocess
import threading
import time

PROTOCOL_VERSION = 2
MAX_FRAME_BYTES = 16 * 1024 * 1024
MAX_HEADER_BYTES = 512
DATA_LIMIT_BYTES = 512 * 1024 * 1024
START_SECONDS = 10
# How much of the clock on the wall a run gets, by what it may compute: the machine may be busy with other things.
WALL_FACTOR = 4
GRACE_SECONDS = 1
VALIDATE_SECONDS = 2
STDERR_BYTES = 4096
# The last words of a sidecar that ended itself because its script was inside one operation at the deadline.
OVERRUN = "the script overran its time"


# What the queue of messages holds besides messages.
END = object()
CANCELLED = object()


class SandboxError(Exception):
    """What went wrong, by `code`; the names are those of the protocol's table."""

    def __init__(self, code, message, details=None):
        super().__init__(message)
        self.code = code
        self.details = details or {}


class Undefined:
    """JavaScript's `undefined`, which is not `null`."""

    def __repr__(self):
        return "undefined"


class Hole(Undefined):
    """An element of an array that is not there."""

    def __repr__(self):
        return "hole"


undefined = Undefined()
hole = Hole()

SPECIAL = {
    "undefined": undefined,
    "hole": hole,
    "NaN": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
    "-0": -0.0,
}


def decode(wire):
    """A value as the sidecar sends it: `{"json": …}` or `{"tagged": …}`."""
    return wire["json"] if "json" in wire else from_tagged(wire["tagged"])


def from_tagged(value):
    if isinstance(value, list):
        return [from_tagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$" not in value:
        return {key: from_tagged(item) for key, item in value.items()}
    if value["$"] == "object":
        return {key: from_tagged(item) for key, item in value["entries"]}
    return SPECIAL[value["$"]]


def encode(value):
    """A Python value for the wire: plain JSON where no tag is needed."""
    tagged = to_tagged(value)
    return {"json": value} if tagged == value else {"tagged": tagged}


def special_name(value):
    if isinstance(value, Hole):
        return "hole"
    if isinstance(value, Undefined):
        return "undefined"
    if not isinstance(value, float):
        return None
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "-0" if value == 0 and math.copysign(1, value) < 0 else None


def to_tagged(value):
    name = special_name(value)
    if name is not None:
        return {"$": name}
    if isinstance(value, list):
        return [to_tagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$" in value:
        return {"$": "object", "entries": [[key, to_tagged(item)] for key, item in value.items()]}
    return {key: to_tagged(item) for key, item in value.items()}


def launcher(command):
    """The command under limits that only a parent can set."""
    if os.name == "nt":
        return command
    script = (
        "ulimit -c 0; ulimit -s unlimited 2>/dev/null; "
        f'ulimit -d {DATA_LIMIT_BYTES // 1024} 2>/dev/null; umask 077; exec "$@"'
    )
    return ["/bin/sh", "-c", script, "sh", *command]


def environment():
    passed_on = ("LANG", "LC_ALL", "TZ", "TMPDIR", "SystemRoot", "windir", "TEMP", "TMP")
    return {name: os.environ[name] for name in passed_on if name in os.environ}


class RunResult:
    """What a run gave back: its value, what it cost, and what it wrote to the console."""

    def __init__(self, result, console):
        self.value = decode(result.pop("value"))
        self.stats = result
        self.console = console


class Sidecar:
    """One sidecar process. It does one thing at a time; every call ends with a result or a `SandboxError`."""

    def __init__(self, command, protocol_version=PROTOCOL_VERSION):
        self._process = subprocess.Popen(
            launcher(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            cwd=os.path.dirname(os.path.abspath(command[-1])),
        )
        self._messages = queue.Queue()
        self._stderr = b""
        self._over = False
        self._next_id = 1
        self._next_run = 1
        self.other_answers = {}  # To requests that were sent with `request`, by id.
        self._write_lock = threading.Lock()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_messages, self._read_stderr)]
        for reader in self._readers:
            reader.start()
        try:
            self.server = self._call(
                "initialize",
                {
                    "protocolVersion": protocol_version,
                    "client": {"name": "client.py", "version": "1.0.0"},
                    "hostPid": os.getpid(),
                    "graceMs": GRACE_SECONDS * 1000,
                    "maxResidentBytes": DATA_LIMIT_BYTES,
                },
                START_SECONDS,
            )
        except BaseException:
            self.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    # What a caller does.

    def run(self, script, inputs=None, scope=None, limits=None, host_functions=None, on_start=None, engine="auto"):
        """Runs a script.

        `host_functions` are functions by name. `on_start` is called once the run is sent, with a function that cancels it;
        that one may be called from anywhere, other threads included.
        """
        host_functions = host_functions or {}
        limits = limits or {}
        params = {
            "runId": f"run-{self._next_run}",
            "script": script,
            "scope": scope or {},
            "limits": limits,
            "hostFunctions": list(host_functions),
            "engine": engine,
        }
        self._next_run += 1
        if inputs is not None:
            params["inputs"] = encode(inputs)
        timeout_ms = limits.get("timeoutMs", self.server["limits"]["timeoutMs"])
        console = []
        seconds = WALL_FACTOR * timeout_ms / 1000 + GRACE_SECONDS
        result = self._call("sandbox/run", params, seconds, host_functions, console, on_start)
        return RunResult(result, console)

    def validate(self, script):
        """What the compiler objects to."""
        return self._call("sandbox/validate", {"script": script}, VALIDATE_SECONDS)["diagnostics"]

    def ping(self):
        self._call("ping", {}, VALIDATE_SECONDS)

    def shutdown(self):
        """Ends the sidecar in order; returns its exit code."""
        self._call("shutdown", {}, VALIDATE_SECONDS)
        self.send({"jsonrpc": "2.0", "method": "exit"})
        return self.wait()

    def wait(self):
        self._over = True
        return self._process.wait(timeout=START_SECONDS)

    def kill(self):
        self._over = True
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(timeout=1)

    # The wire.

    def request(self, method, params):
        """Sends a request and returns its id, without waiting."""
        request_id = self._next_id
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def send(self, message):
        body = json.dumps(message, allow_nan=False).encode()
        if len(body) > MAX_FRAME_BYTES:
            raise SandboxError("invalid_request", f"A message of {len(body)} bytes is too long.")
        try:
            with self._write_lock:
                self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                self._process.stdin.flush()
        except OSError:
            pass  # It is gone; the end of its output tells.

    def _call(self, method, params, seconds, host_functions=None, console=None, on_start=None):
        """Sends a request and serves the sidecar until the answer is there, or its time is over."""
        if self._over:
            raise SandboxError("closed", "The sidecar has ended. Start another one.")
        request_id = self.request(method, params)
        if on_start is not None:
            on_start(lambda: self._cancel(request_id))
        deadline = time.monotonic() + seconds
        code = "timeout"
        while True:
            try:
                message = self._messages.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                self.kill()
                raise SandboxError(code, f"No answer to {method}; its sidecar was killed.", {"killed": True}) from None
            if isinstance(message, SandboxError):
                self.kill()
                raise message
            if message is END:
                raise self._death(method)
            if message is CANCELLED:  # Inside one long operation, the sidecar does not see it.
                deadline, code = min(deadline, time.monotonic() + GRACE_SECONDS), "cancelled"
            elif message.get("method") == "sandbox/callHostFunction":
                paused = time.monotonic()
                self._serve(message, host_functions or {})
                deadline += time.monotonic() - paused
            elif message.get("method") == "sandbox/console":
                if console is not None:
                    console.append((message["params"]["level"], message["params"]["text"]))
            elif "method" in message:
                if "id" in message:  # A request that this client does not know.
                    self.send(
                        {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown method"}}
                    )
            elif message.get("id") == request_id:
                return self._outcome(message)
            else:
                self.other_answers[message.get("id")] = message

    def _cancel(self, request_id):
        self.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": request_id}})
        self._messages.put(CANCELLED)

    def _serve(self, message, host_functions):
        try:
            function = host_functions[message["params"]["name"]]
            value = function(*decode(message["params"]["args"]))
            result = {"value": encode(value)}
        except Exception as error:  # Whatever it is, it belongs to the script.
            result = {"error": {"name": type(error).__name__, "message": str(error)}}
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    @staticmethod
    def _outcome(message):
        if "error" not in message:
            return message["result"]
        error = message["error"]
        data = error.get("data") or {"code": "protocol_error"}
        raise SandboxError(data["code"], error["message"], data.get("details"))

    def _death(self, method):
        exit_code = self.wait()
        self._readers[1].join(timeout=1)
        stderr = self._stderr.decode(errors="replace")
        if method == "sandbox/run" and stderr.rstrip().endswith(OVERRUN):
            return SandboxError("timeout", "The script was inside one operation at its deadline.", {"killed": True})
        name = signal.Signals(-exit_code).name if exit_code < 0 else None
        details = {"reason": death_reason(exit_code, name, stderr), "stderr": stderr}
        details.update({"signal": name} if name else {"exitCode": exit_code})
        code = "sidecar_crashed" if method == "sandbox/run" else "sidecar_unavailable"
        return SandboxError(code, f"The sidecar died ({name or exit_code}).", details)

    def _read_messages(self):
        """Puts each message into the queue, and last what ended them: `END`, or an error."""
        try:
            while (length := self._read_header()) is not None:
                self._messages.put(json.loads(self._process.stdout.read(length)))
            self._messages.put(END)
        except (ValueError, OSError) as error:
            self._messages.put(SandboxError("protocol_error", f"The sidecar sent something that is no message: {error}"))

    def _read_header(self):
        """The length of the body that follows, or `None` at the end."""
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            line = self._process.stdout.readline(MAX_HEADER_BYTES)
            header += line
            if line == b"" and header == b"":
                return None
            if line == b"" or len(header) > MAX_HEADER_BYTES:
                raise ValueError(header[:80])
        length = re.search(rb"(?im)^content-length: *(\d+)\r$", header)
        if length is None or int(length[1]) > MAX_FRAME_BYTES:
            raise ValueError(header[:80])
        return int(length[1])

    def _read_stderr(self):
        while chunk := self._process.stderr.read1(STDERR_BYTES):
            self._stderr = (self._stderr + chunk)[-STDERR_BYTES:]


def death_reason(exit_code, signal_name, stderr):
    if re.search(r"memory allocation of \d+ bytes failed|out of memory|bad_alloc|Cannot allocate memory", stderr, re.I):
        return "out_of_memory"
    if re.search(r"has overflowed its stack|stack overflow", stderr, re.I) or signal_name in ("SIGSEGV", "SIGBUS"):
        return "stack_overflow"
    if signal_name in ("SIGABRT", "SIGTRAP", "SIGILL"):
        return "abort"
    if signal_name is not None:
        return "killed"
    windows = {0xC00000FD: "stack_overflow", 0xC0000005: "stack_overflow", 0xC0000409: "abort", 0xC0000017: "out_of_memory"}
    return windows.get(exit_code & 0xFFFFFFFF, "exit")
