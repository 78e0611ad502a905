"""Registers an App Attest key and judges requests through `assay serve`.

    client.py challenge APP         prints a challenge for the app to attest
    client.py verify RECORD.json    judges an evidence record: exit status 0 accepted, 1 rejected, 3 outage

ASSAY_URL is the service, such as http://127.0.0.1:8080, and ASSAY_TOKEN the token of `assay operators add`.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request


class Outage(Exception):
    """There is no verdict: let no request in, and have the client try again later."""


def call(path, body, attempts=3):
    """Posts a JSON body. Repeats in an outage, as the service says."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("ASSAY_TOKEN", "")}
    request = urllib.request.Request(os.environ["ASSAY_URL"] + path, body.encode(), headers)
    for attempt in range(attempts):
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            if error.code != 503:
                raise SystemExit(f"{problem['code']}: {problem['detail']}") from None
            time.sleep(int(error.headers.get("Retry-After", 1)) if attempt + 1 < attempts else 0)
        except OSError:
            time.sleep(1 if attempt + 1 < attempts else 0)
    raise Outage("the service does not answer")


def main():
    command, argument = sys.argv[1:3]
    try:
        if command == "challenge":
            kind = "app-attest.attestation"
            print(call("/v1/challenges", json.dumps({"app": argument, "kind": kind}))["challenge"])
            return 0
        with open(argument, encoding="utf-8") as file:
            verdict = call("/v1/verify", file.read())
    except Outage as outage:
        print(outage, file=sys.stderr)
        return 3
    if verdict["outcome"] == "accept":
        return 0
    # Tell the app what it can do, and nothing about why.
    print("rejected:", ", ".join(verdict["failed"]), "remedy:", verdict.get("remedy", "none"), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
