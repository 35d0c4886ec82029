"""Drives `client.py` through everything that a client has to expect, and prints what happened as JSON.

    python3 scenario.py NODE MAIN FOLDER

FOLDER is one that scripts may read in; `client.test.ts` prepares it and judges the report.
"""

import json
import math
import sys
import threading

from client import SandboxError, Sidecar, hole, undefined

NODE, MAIN, FOLDER = sys.argv[1:]
COMMAND = [NODE, MAIN]


def failure(function, *args, **kwargs):
    """The error of a call that must fail, as JSON."""
    try:
        value = function(*args, **kwargs)
    except SandboxError as error:
        return {"code": error.code, "message": str(error), "details": error.details}
    raise AssertionError(f"expected an error, got {value!r}")


def handshake(sidecar):
    return {key: sidecar.server[key] for key in ("protocolVersion", "server", "engine", "limits")}


def another_version(_):
    return failure(Sidecar, COMMAND, protocol_version=99)


def run(sidecar):
    result = sidecar.run("a * b", inputs={"a": 6, "b": 7})
    return {"value": result.value, "stats": result.stats}


def read_files(sidecar):
    result = sidecar.run("list_files().map(String).join() + ':' + read_file('notes.txt')", scope={"root": FOLDER})
    refused = failure(sidecar.run, "read_file('../secret')", scope={"root": FOLDER})
    return {"value": result.value, "bytesRead": result.stats["bytesRead"], "refused": refused}


def console(sidecar):
    return sidecar.run("console.log('one', 2); console.error({ three: 3 }); 'done'").console


def host_function(sidecar):
    calls = []

    def price(*args):
        calls.append(args)
        return {"eur": 9.5}

    value = sidecar.run("price('a1', [1, 2]).eur * 2", host_functions={"price": price}).value
    return {"calls": calls, "value": value}


def failing_host_function(sidecar):
    def price(_):
        raise ValueError("no such thing")

    script = "let seen; try { price('a1') } catch (error) { seen = [error.name, error.message] } seen"
    caught = sidecar.run(script, host_functions={"price": price}).value
    return {"caught": caught, "uncaught": failure(sidecar.run, "price('a1')", host_functions={"price": price})}


def values(sidecar):
    """Each kind of value into a script as an input, out of it to a host function, back as its result, and out again."""
    sent = [
        None,
        True,
        1.5,
        "é😀",
        undefined,
        math.nan,
        math.inf,
        -math.inf,
        -0.0,
        [1, hole, undefined],
        {"a": {"b": [-0.0]}},
        {"$": "undefined"},
        {"$": 1, "entries": [], "n": math.nan},
    ]
    seen = []

    def echo(value):
        seen.append(value)
        return value

    back = [sidecar.run("echo(value)", {"value": value}, host_functions={"echo": echo}).value for value in sent]
    return {"sent": list(map(repr, sent)), "seen": list(map(repr, seen)), "back": list(map(repr, back))}


def validate(sidecar):
    return {"good": sidecar.validate("1 + 1"), "bad": sidecar.validate("let a;\nimport(\"x\")")}


def script_errors(sidecar):
    return {
        "thrown": failure(sidecar.run, "const a = 1;\nthrow new RangeError('too far');"),
        "syntax": failure(sidecar.run, "let a = ;"),
        "limit": failure(sidecar.run, "let n = 0; while (true) n++;", limits={"instructions": 10000}),
        "deadline": failure(sidecar.run, "while (true) {}", limits={"timeoutMs": 100}),
        "unknown field": failure(sidecar.run, "1", scope={"colour": "red"}),
    }


def cancel_at_a_call(sidecar):
    cancel = []

    def wait():
        cancel[0]()
        return "too late"

    error = failure(sidecar.run, "wait()", host_functions={"wait": wait}, on_start=cancel.append)
    return {"error": error, "next": sidecar.run("1 + 1").value}


def cancel_a_computation(sidecar):
    def on_start(cancel):
        threading.Timer(0.05, cancel).start()

    error = failure(sidecar.run, "while (true) {}", limits={"timeoutMs": 10000}, on_start=on_start)
    return {"error": error, "next": sidecar.run("1 + 1").value}


def two_runs(sidecar):
    ids = []

    def other():
        params = {"runId": "second", "script": "2", "scope": {}, "limits": {}}
        ids.append(sidecar.request("sandbox/run", params))
        return None

    # During a run the sidecar handles nothing else: the second begins after the answer to the first.
    first = sidecar.run("other(); 'first'", host_functions={"other": other}).value
    early = sidecar.other_answers.get(ids[0])
    third = sidecar.run("3").value
    return {"first": first, "early": early, "second": sidecar.other_answers.get(ids[0]), "third": third}


def ping(sidecar):
    return sidecar.ping()


def shutdown(sidecar):
    sidecar.request("shutdown", {})
    after_shutdown = failure(sidecar.run, "1")
    exit_code = sidecar.shutdown()
    return {"exitCode": exit_code, "afterShutdown": after_shutdown, "afterExit": failure(sidecar.run, "1")}


# Each of these loses its sidecar, so it gets one of its own.


def crash(sidecar):
    return failure(sidecar.run, "'a'.repeat(500000000).length", engine="mustardscript")


def hang(sidecar):
    script = "new Array(4294967295).join('').length"
    return failure(sidecar.run, script, limits={"timeoutMs": 100})


def not_a_frame(sidecar):
    sidecar._process.stdin.write(b"hello\n")
    sidecar._process.stdin.flush()
    return failure(sidecar.ping)


def end_of_input(sidecar):
    sidecar._process.stdin.close()
    return sidecar.wait()


def main():
    together = [
        handshake,
        another_version,
        run,
        read_files,
        console,
        host_function,
        failing_host_function,
        values,
        validate,
        script_errors,
        cancel_at_a_call,
        cancel_a_computation,
        two_runs,
        ping,
        shutdown,
    ]
    alone = [crash, hang, not_a_frame, end_of_input]
    report = {}
    with Sidecar(COMMAND) as sidecar:
        for step in together:
            report[step.__name__] = step(sidecar)
    for step in alone:
        with Sidecar(COMMAND) as sidecar:
            report[step.__name__] = step(sidecar)
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
