"""Clients of `assay serve` behind a line with latency, which note the last answer that each has read.

    lost_answers.py MODE PORT DELAY RECORDS [CA]

RECORDS is a JSON file: for each client a list of records, of which each counts up. CA is the file of the authority; without it, the
clients speak plain HTTP. A record without an answer is sent once more, on a new connection: what was not answered must not have been
applied. MODE: `load` sends until the service ends, and prints `running` when each client has read five answers; `idle` sends each
record about when the service closes the idle connection, which it does after a second; `half` ends its side right after each request.
The last line is {"accepted": {KEY: number of records}, "again": number of records sent again, "problems": [...]}.
"""
import asyncio
import http.client
import json
import socket
import ssl
import sys
import threading
import time

mode, port, delay = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with open(sys.argv[4], encoding="utf-8") as file:
    clients = json.load(file)
context = ssl.create_default_context(cafile=sys.argv[5]) if len(sys.argv) > 5 else None
lock = threading.Lock()
accepted, problems, again = {}, [], 0


class Line:
    """A port of this machine from which bytes and ends reach the service after the delay, and back."""

    def __init__(self):
        self.port = None
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve(ready)), daemon=True).start()
        ready.wait()

    async def serve(self, ready):
        server = await asyncio.start_server(self.connect, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    async def connect(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.carry(reader, other_writer), self.carry(other_reader, writer))
        writer.close()
        other_writer.close()

    async def carry(self, reader, writer):
        loop, queue = asyncio.get_running_loop(), asyncio.Queue()

        async def deliver():
            while True:
                due, data = await queue.get()
                await asyncio.sleep(max(0, due - loop.time()))
                try:
                    if not data:
                        writer.write_eof() if writer.can_write_eof() else None
                        return
                    writer.write(data)
                    await writer.drain()
                except OSError:
                    return

        task = asyncio.create_task(deliver())
        data = b"-"
        while data:
            try:
                data = await reader.read(65536)
            except OSError:
                data = b""
            queue.put_nowait((loop.time() + delay, data))
        await task


line = Line()


def connect():
    if context:
        return http.client.HTTPSConnection("localhost", line.port, timeout=120, context=context)
    return http.client.HTTPConnection("localhost", line.port, timeout=120)


def post(connection, record):
    connection.request("POST", "/v1/verify", json.dumps(record), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    verdict = json.load(answer)
    if answer.getheader("Connection", "").lower() == "close":
        connection.close()
    return verdict


def half(record):
    """Sends a request and the end of this side, with TLS as close_notify, and reads the answer behind it."""
    body = json.dumps(record).encode()
    head = f"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    raw = socket.create_connection(("localhost", line.port), timeout=120)
    received = b""
    if not context:
        raw.sendall(head.encode() + body)
        raw.shutdown(socket.SHUT_WR)
        while data := raw.recv(65536):
            received += data
        return json.loads(received.split(b"\r\n\r\n", 1)[1])
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(inward, outward, server_hostname="localhost")

    def step(action):
        while True:
            try:
                return action()
            except ssl.SSLWantReadError:
                raw.sendall(outward.read())
                data = raw.recv(65536)
                inward.write(data) if data else inward.write_eof()

    step(tls.do_handshake)
    tls.write(head.encode() + body)
    try:
        tls.unwrap()
    except ssl.SSLWantReadError:
        pass
    raw.sendall(outward.read())
    # After its own end, OpenSSL reads only what arrives before the peer's.
    while not received.endswith(b"}\n"):
        data = raw.recv(65536)
        if not data:
            break
        inward.write(data)
        try:
            while data := tls.read(65536):
                received += data
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            break
    return json.loads(received.split(b"\r\n\r\n", 1)[1])


def note(key, record, verdict):
    with lock:
        if verdict.get("outcome") == "accept":
            accepted[key] += 1
        else:
            problems.append([record.get("id"), verdict])


def run(number, records):
    global again
    key = records[0]["evidence"]["keyId"]
    connection = connect()
    for index, record in enumerate(records):
        if mode == "idle" and index:
            # The service ends the connection a second after it has sent its answer: from much before to after that.
            time.sleep(max(0.0, 0.2 + 0.1 * ((number + 5 * index) % 14) - delay))
        try:
            note(key, record, half(record) if mode == "half" else post(connection, record))
            continue
        except ConnectionRefusedError:
            break
        except (OSError, http.client.HTTPException):
            connection.close()
        with lock:
            again += 1
        try:
            note(key, record, half(record) if mode == "half" else post(connection, record))
        except (OSError, http.client.HTTPException):
            break
    connection.close()


for records in clients:
    accepted[records[0]["evidence"]["keyId"]] = 0
threads = [threading.Thread(target=run, args=(number, records)) for number, records in enumerate(clients)]
for thread in threads:
    thread.start()
while mode == "load" and any(thread.is_alive() for thread in threads):
    if all(count >= 5 for count in accepted.values()):
        print("running", flush=True)
        break
    time.sleep(0.02)
for thread in threads:
    thread.join()
print(json.dumps({"accepted": accepted, "again": again, "problems": problems}), flush=True)
