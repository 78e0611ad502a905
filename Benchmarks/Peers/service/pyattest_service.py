"""pyattest behind FastAPI and uvicorn, in one process: a verifier of App Attest assertions without a ledger, operators or a log.

    pyattest_service.py APP-ID KEYS    KEYS: a file with JSON, key IDs (base64) and public keys (DER, base64)

POST /v1/verify takes a record, GET / answers without a look. uvicorn prints the port.
"""

import base64
import hashlib
import json
import signal
import sys

import fastapi
import pydantic
import uvicorn
from cryptography.hazmat.primitives.serialization import load_der_public_key
from pyattest.assertion import Assertion
from pyattest.configs.apple import AppleConfig

app_id, path = sys.argv[1:]
config = AppleConfig(key_id=b"", app_id=app_id, production=True)
with open(path) as file:
    # Parsed once, as ours are.
    keys = {name: load_der_public_key(base64.b64decode(key)) for name, key in json.load(file).items()}
app = fastapi.FastAPI()


class Evidence(pydantic.BaseModel):
    keyId: str
    assertion: str
    clientData: str


class Record(pydantic.BaseModel):
    id: str
    kind: str
    evidence: Evidence


class Verdict(pydantic.BaseModel):
    id: str
    outcome: str


@app.post("/v1/verify")
async def verify(record: Record) -> Verdict:
    evidence = record.evidence
    client_data_hash = hashlib.sha256(base64.b64decode(evidence.clientData)).digest()
    try:
        Assertion(base64.b64decode(evidence.assertion), client_data_hash, keys[evidence.keyId], config).verify()
    # Broken evidence makes pyattest raise more than its own exceptions.
    except Exception:
        return Verdict(id=record.id, outcome="reject")
    return Verdict(id=record.id, outcome="accept")


@app.get("/")
async def hello() -> str:
    return "Hello"


# The benchmark starts this with all signals blocked, and ends it with one.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
uvicorn.run(app, host="127.0.0.1", port=0, access_log=False)
