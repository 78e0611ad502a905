"""The backend of a shop: POST /orders takes an order only from a genuine app on a genuine device.

    pip install fastapi uvicorn urllib3
    uvicorn orders:app --no-date-header     # Date is Assay's, whose clock judges

ASSAY_URL is the service, ASSAY_TOKEN the token of this backend (none where the service is open). SHOP_ORIGIN is the scheme and host
that apps address, SHOP_APPS a JSON object {engine: app of the policy}, and SHOP_SESSIONS one of {session: account} in place of the
shop's own sign-in. A proxy in front ends TLS and limits bodies."""
import json
import logging
import os
from base64 import b64encode
from typing import Annotated, Literal
from uuid import uuid4

import urllib3
from fastapi import Body, Depends, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from pydantic import BaseModel, PositiveInt, ValidationError

URL, TOKEN, ORIGIN = os.environ["ASSAY_URL"], os.environ.get("ASSAY_TOKEN", ""), os.environ["SHOP_ORIGIN"]
APPS, SESSIONS = json.loads(os.environ["SHOP_APPS"]), json.loads(os.environ["SHOP_SESSIONS"])
# What an app may put into a record: other members are for this server to state.
REQUEST = ("method", "targetURI", "headers", "body")
KINDS = {"app-attest": {"attestation": ("keyId", "attestation", "challenge"), "request": REQUEST},
         "android-key": {"attestation": ("certificates", "challenge"), "request": REQUEST}, "play-integrity": {"request": REQUEST}}
KINDS = {f"{engine}.{kind}": members for engine in APPS for kind, members in KINDS[engine].items()}
# What an app may know of Assay's answer.
PASSED = ("outcome", "remedy", "id", "code", "challenge", "expiresAt", "token", "tokenType", "expiresIn")
# The outcomes by the statuses of Assay's answers. 401, and 403 without a verdict, are about this server's own token: an outage for apps.
ANSWERS = {200: ("accept", "reject"), 403: ("reject",)} | dict.fromkeys((201, 400, 413, 422, 429, 503), (None,))
log = logging.getLogger("uvicorn.error")
pool = urllib3.PoolManager(maxsize=40, timeout=10, retries=False, headers={"Authorization": f"Bearer {TOKEN}"})
app = FastAPI(openapi_url=None)
orders = {}  # By account and the app's ID of the order. In a database, a unique index over both.


class Record(BaseModel):
    kind: Literal[tuple(KINDS)]
    evidence: dict = {}
    deviceToken: str | None = None

    def of(self, account):
        return {"id": uuid4().hex, "kind": self.kind, "app": APPS[self.kind.split(".")[0]], "account": account,
                "deviceToken": self.deviceToken,
                "evidence": {member: self.evidence[member] for member in KINDS[self.kind] if member in self.evidence}}


class Order(BaseModel):
    id: str
    item: str
    count: PositiveInt


def account_of(request: Request):
    account = SESSIONS.get(request.headers.get("authorization", "").removeprefix("Bearer "))
    if account is None:
        raise HTTPException(401, "sign in first", {"WWW-Authenticate": "Bearer"})
    return account


Account, Text = Annotated[str, Depends(account_of)], Annotated[str | None, Body()]


def ask(path, message):
    """What the app may know of Assay's answer, the status for it, and fields. Without an answer of Assay, 503."""
    try:
        reply = pool.request("POST", URL + path, json=message)
        content = dict(json.loads(reply.data))
        status, outcome = reply.status, content.get("outcome")
        if outcome not in ANSWERS.get(status, ()):
            raise ValueError(f"{status} {content.get('code')} {content.get('detail')}")
    except (urllib3.exceptions.HTTPError, ValueError, TypeError) as error:
        log.error("%s: no answer of Assay: %s", path, error)
        return {"code": "outage"}, 503, {"Retry-After": "5"}
    if outcome == "reject" or status >= 400:
        log.warning("%s: %s", path, {name: content.get(name) for name in ("id", "failed", "code", "detail") if name in content})
    fields = {name: reply.headers[name] for name in ("Date", "Retry-After") if name in reply.headers}
    return {name: content[name] for name in PASSED if name in content}, status, fields


@app.post("/challenges")
def challenge(account: Account, sent: Record):
    return JSONResponse(*ask("/v1/challenges", {name: sent.of(account)[name] for name in ("app", "kind")}))


@app.post("/enrolments")
def enrol(account: Account, sent: Record):
    return JSONResponse(*ask("/v1/verify", sent.of(account)))


@app.post("/tokens")
def exchange(account: Account, record: Record, challenge: Text, audience: Text, jkt: Text = None):
    wanted = {"record": record.of(account), "challenge": challenge, "audience": audience}
    return JSONResponse(*ask("/v1/tokens", wanted | ({"jkt": jkt} if jkt else {})))


@app.post("/orders")
async def order(account: Account, request: Request):
    body, query = await request.body(), request.scope["query_string"].decode("latin-1")
    # What the app addressed is stated by this server, not by the client's Host. The session's secret stays here.
    target = ORIGIN + request.scope["raw_path"].decode("latin-1") + (query and f"?{query}")
    headers = [pair for pair in request.headers.items() if pair[0] not in ("authorization", "cookie")]
    engine = next((engine for engine in APPS if f';tag="{engine}"' in request.headers.get("signature-input", "")), next(iter(APPS)))
    evidence = {"method": request.method, "targetURI": target, "headers": headers, "body": b64encode(body).decode()}
    record = Record(kind=f"{engine}.request", evidence=evidence).of(account)
    verdict, status, fields = await run_in_threadpool(ask, "/v1/verify", record)
    if verdict.get("outcome") == "reject":
        status = 401 if verdict.get("remedy") in ("retry", "new-challenge", "new-attestation") else 403
    if verdict.get("outcome") != "accept":
        return JSONResponse(verdict, status, fields)
    try:
        new = Order.model_validate_json(body)  # The bytes that were verified.
    except ValidationError:
        return JSONResponse({"code": "no-order"}, 422, fields)
    # After a lost answer the app signs the order again, and the ID in it makes it the same order, not a second one.
    kept = orders.setdefault((account, new.id), new)
    return JSONResponse({"order": kept.model_dump()}, 201 if kept == new else 409, fields)
