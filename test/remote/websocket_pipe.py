"""Carries stdin to a WebSocket of mustard-sandbox's server and what comes back to stdout, with the standard library only.

    python3 websocket_pipe.py 127.0.0.1 7777 TOKEN-FILE

With it, the client of test/foreign, which knows only docs/reference/protocol.md, is a client of the server.
"""

import base64
import os
import socket
import struct
import sys
import threading

HOST, PORT = sys.argv[1], int(sys.argv[2])
with open(sys.argv[3], encoding="utf-8") as token_file:
    TOKEN = token_file.read().strip()


def shake_hands(connection):
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        "GET /v1/sandbox HTTP/1.1",
        f"Host: {HOST}:{PORT}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Protocol: mustard-sandbox.1",
        f"Authorization: Bearer {TOKEN}",
    ]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            sys.exit("The server closed the connection.")
        answer += byte
    if not answer.startswith(b"HTTP/1.1 101 "):
        sys.exit(answer.split(b"\r\n")[0].decode())


def send_frame(connection, opcode, payload):
    """One frame, masked, as a client's must be."""
    length = len(payload)
    if length < 126:
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
    elif length < 65536:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
    mask = os.urandom(4)
    repeated = (mask * (length // 4 + 1))[:length]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")
    connection.sendall(head + mask + masked.to_bytes(length, "big"))


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        chunk = connection.recv(count - len(data))
        if not chunk:
            return None
        data += chunk
    return data


def read_frames(connection, lock):
    while True:
        head = read_exactly(connection, 2)
        if head is None:
            return
        opcode, length = head[0] & 0x0F, head[1] & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", read_exactly(connection, 2))
        elif length == 127:
            (length,) = struct.unpack("!Q", read_exactly(connection, 8))
        payload = read_exactly(connection, length)
        if payload is None or opcode == 8:
            return
        if opcode == 9:
            with lock:
                send_frame(connection, 10, payload)
        elif opcode in (0, 1, 2):
            sys.stdout.buffer.write(payload)
            sys.stdout.buffer.flush()


def main():
    connection = socket.create_connection((HOST, PORT))
    shake_hands(connection)
    lock = threading.Lock()

    def forward():
        while True:
            data = os.read(0, 65536)
            with lock:
                send_frame(connection, 2 if data else 8, data)
            if not data:
                return

    threading.Thread(target=forward, daemon=True).start()
    read_frames(connection, lock)
    # The thread may stand in a read of stdin.
    sys.stdout.flush()
    os._exit(0)


main()
