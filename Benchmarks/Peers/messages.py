"""Signed HTTP messages (RFC 9421) with a content digest (RFC 9530).

The subject has `items` with `method`, `uri`, `fields` (pairs), `body` (base64) and `publicKey` (base64 of a
SubjectPublicKeyInfo).
"""

import base64
import pathlib
import sys

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

# What the tests hold ours against.
sys.path.append(str(pathlib.Path(__file__).parents[2] / "Tests" / "Support" / "Peers"))
import http_messages  # noqa: E402


def http_message_signatures(subject):
    items = []
    for item in subject["items"]:
        # Parsed once, as ours is.
        key = load_der_public_key(base64.b64decode(item["publicKey"]))
        verifier = http_messages.Verifier(
            signature_algorithm=http_messages.ALGORITHMS["ecdsa-p256-sha256"], key_resolver=http_messages.Keys(key))
        items.append((item, verifier, base64.b64decode(item["body"])))

    def verify(item):
        request, verifier, body = item
        verifier.verify(http_messages.Request(request), body=body or None)

    return verify, items


LIBRARIES = {"http-message-signatures": http_message_signatures}
