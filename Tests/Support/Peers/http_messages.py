"""Signs and verifies HTTP messages with http-message-signatures (RFC 9421, RFC 9530)."""

import base64
import datetime

import http_message_signatures as hms
from http_message_signatures.digests import ContentDigest

ALGORITHMS = {
    "ecdsa-p256-sha256": hms.algorithms.ECDSA_P256_SHA256,
    "hmac-sha256": hms.algorithms.HMAC_SHA256,
}


class Fields:
    """Field lines in order. A name may have several lines."""

    def __init__(self, lines):
        self.lines = [tuple(line) for line in lines]

    def items(self):
        return list(self.lines)

    def __iter__(self):
        return iter([name for name, _ in self.lines])

    def __contains__(self, name):
        return any(line[0].lower() == name.lower() for line in self.lines)

    def __getitem__(self, name):
        return next(value for line, value in self.lines if line.lower() == name.lower())

    def __setitem__(self, name, value):
        self.lines.append((name, value))

    def __delitem__(self, name):
        self.lines = [line for line in self.lines if line[0].lower() != name.lower()]


class Request:
    def __init__(self, request):
        self.method = request["method"]
        self.url = request["uri"]
        self.headers = Fields(request["fields"])


class Keys(hms.HTTPSignatureKeyResolver):
    """One key for every key ID."""

    def __init__(self, key):
        self.key = key.encode() if isinstance(key, str) else key

    def resolve_public_key(self, key_id):
        return self.key

    def resolve_private_key(self, key_id):
        return self.key


class Verifier(hms.HTTPMessageVerifier):
    # No tolerance: both sides use the same clock.
    max_clock_skew = datetime.timedelta(0)


def signer(request, key):
    return hms.HTTPMessageSigner(signature_algorithm=ALGORITHMS[request["algorithm"]], key_resolver=Keys(key))


def parameters(request):
    # Local time: the library treats a time without a zone as local.
    def time(name):
        return datetime.datetime.fromtimestamp(int(request[name])) if name in request else None

    return {
        "key_id": request["keyID"], "created": time("created"), "expires": time("expires"),
        "label": request["label"], "covered_component_ids": tuple(request["components"]),
    }


def base(request, key):
    message = Request(request)
    # Sign the digest of the request. With `use_existing_digest` the library demands one.
    keeps = "content-digest" in message.headers
    prepared = signer(request, key).prepare(message, use_existing_digest=keeps, **parameters(request))
    return base64.b64encode(prepared.signature_base).decode()


def sign(request, key):
    message = Request(request)
    body = base64.b64decode(request["body"]) if "body" in request else None
    signer(request, key).sign(message, body=body, **parameters(request))
    return [list(line) for line in message.headers.items()]


def verify(request, key):
    body = base64.b64decode(request["body"]) if "body" in request else None
    verifier = Verifier(signature_algorithm=ALGORITHMS[request["algorithm"]], key_resolver=Keys(key))
    return [result.label for result in verifier.verify(Request(request), body=body)]


def digest(request):
    class Digest(ContentDigest):
        algorithm = request["algorithm"]

    return Digest.create(base64.b64decode(request["body"]))
