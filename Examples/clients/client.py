"""Registers an App Attest key and judges requests through `assay serve`.

    client.py challenge APP         prints a challenge for the app to attest
    client.py verify RECORD.json    judges an evidence record: exit status 0 accepted, 1 rejected, 2 error, 3 outage

ASSAY_URL is the service, such as http://127.0.0.1:8080, and ASSAY_TOKEN the token of `assay operators add`.
"""
import json
import os
import sys
import time
from urllib import error as errors, request as requests


class Outage(Exception):
    """There is no verdict: let no request in, and have the client try again later."""


def call(path, body, attempts=3):
    """Posts a JSON body. Repeats in an outage, as the service says."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("ASSAY_TOKEN", "")}
    request = requests.Request(os.environ["ASSAY_URL"] + path, body.encode(), headers)
    problem = {"detail": ""}
    for attempt in range(attempts):
        try:
            with requests.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except errors.HTTPError as error:
            problem = json.load(error)
            if error.code != 503:
                raise ValueError(f"{problem['code']}: {problem['detail']}") from None
            time.sleep(int(error.headers.get("Retry-After", 1)) if attempt + 1 < attempts else 0)
        except OSError:
            time.sleep(1 if attempt + 1 < attempts else 0)
    raise Outage(f"no answer from {request.full_url} {problem['detail']}")


def main():
    try:
        if len(sys.argv) != 3 or sys.argv[1] not in ("challenge", "verify") or "ASSAY_URL" not in os.environ:
            raise ValueError("expected challenge APP or verify FILE, and ASSAY_URL in the environment")
        command, argument = sys.argv[1:]
        if command == "challenge":
            print(call("/v1/challenges", json.dumps({"app": argument, "kind": "app-attest.attestation"}))["challenge"])
            return 0
        with open(argument, encoding="utf-8") as file:
            verdict = call("/v1/verify", file.read())
    except (Outage, ValueError, KeyError, OSError) as error:
        print("error:", error, file=sys.stderr)
        return 3 if isinstance(error, Outage) else 2
    if verdict["outcome"] == "accept":
        return 0
    # Tell the app what it can do, and nothing about why.
    print("rejected:", ", ".join(verdict["failed"]), "remedy:", verdict.get("remedy", "none"), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
