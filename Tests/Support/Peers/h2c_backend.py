"""A backend that speaks h2c: hypercorn with its defaults serves it. It appends a line for each request to the file SEEN."""

import os


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    account = dict(scope["headers"]).get(b"assay-account", b"").decode()
    with open(os.environ["SEEN"], "a") as file:
        file.write(f"HTTP/{scope['http_version']} {scope['method']} {scope['path']} account={account}\n")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})
