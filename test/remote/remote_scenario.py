"""Drives the client of test/foreign through a WebSocket, and prints what happened as JSON.

    python3 remote_scenario.py FOREIGN HOST PORT TOKEN-FILE FOLDER

FOREIGN is the folder of that client. FOLDER is one of the server's allowed roots.
"""

import json
import os
import sys

FOREIGN, HOST, PORT, TOKEN_FILE, FOLDER = sys.argv[1:]
PIPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "websocket_pipe.py")
sys.path.insert(0, FOREIGN)
sys.argv[1:] = ["", "", FOLDER]

import scenario  # noqa: E402

scenario.COMMAND = [sys.executable, PIPE, HOST, PORT, TOKEN_FILE]
STEPS = [
    "handshake",
    "another_version",
    "run",
    "read_files",
    "console",
    "host_function",
    "failing_host_function",
    "values",
    "validate",
    "script_errors",
    "cancel_at_a_call",
    "ping",
]

report = {}
with scenario.Sidecar(scenario.COMMAND) as sidecar:
    for name in STEPS:
        report[name] = getattr(scenario, name)(sidecar)
json.dump(report, sys.stdout)
