#!/usr/bin/env python3
"""Verifies requests that the kits have signed, by http-message-signatures and cryptography: nothing of Assay takes part.

    Clients/verify_requests.py FILE...

A line of a file is one request: {"method", "url", "fields": [[name, value], ...], "body": base64 or null, "key": the public
key as SubjectPublicKeyInfo in base64, "appID": for App Attest}. The interpreter is that of `Scripts/install-peers`.
"""

import base64
import datetime
import hashlib
import json
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver
from http_message_signatures.algorithms import HTTPSignatureAlgorithm
from requests.structures import CaseInsensitiveDict


class Message:
    """What http-message-signatures needs of a request."""

    def __init__(self, line):
        self.method, self.url = line["method"], line["url"]
        self.headers = CaseInsensitiveDict(line["fields"])
        self.body = base64.b64decode(line["body"]) if line["body"] else b""


def assertion(text):
    """`signature` and `authenticatorData` of an assertion: a CBOR map with two byte strings."""
    assert text[0] == 0xA2, "no map of two"
    found, at = {}, 1

    def string(at, major):
        kind, length = text[at] >> 5, text[at] & 0x1F
        assert kind == major, "another type than expected"
        at += 1
        if length == 24:
            length, at = text[at], at + 1
        return text[at:at + length], at + length

    while at < len(text):
        name, at = string(at, 3)
        found[name.decode()], at = string(at, 2)
    assert sorted(found) == ["authenticatorData", "signature"] and at == len(text)
    return found["signature"], found["authenticatorData"]


def algorithm(line):
    key = serialization.load_der_public_key(base64.b64decode(line["key"], validate=True))

    class Algorithm(HTTPSignatureAlgorithm):
        # App Attest has no name for its algorithm in the registry of RFC 9421.
        algorithm_id = (None if line.get("appID") else "rsa-v1_5-sha256" if isinstance(key, rsa.RSAPublicKey)
                        else "ecdsa-p256-sha256")

        def __init__(self, public_key=None, private_key=None, password=None):
            pass

        def verify(self, signature, message):
            if line.get("appID"):
                signature, data = assertion(signature)
                assert data[:32] == hashlib.sha256(line["appID"].encode()).digest(), "the hash of another App ID"
                assert len(data) == 37 and int.from_bytes(data[33:], "big") > 0, "no counter"
                message = hashlib.sha256(data + hashlib.sha256(message).digest()).digest()
                key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
            elif isinstance(key, rsa.RSAPublicKey):
                key.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
            else:
                assert len(signature) == 64, "not r and s"
                r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
                key.verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))

    return Algorithm


def verify(line):
    message = Message(line)

    class Resolver(HTTPSignatureKeyResolver):
        def resolve_public_key(self, key_id):
            # App Attest names a key by its point, Android's keystore by its SubjectPublicKeyInfo.
            key = base64.b64decode(line["key"])
            named = key[-65:] if line.get("appID") else key
            assert key_id == base64.b64encode(hashlib.sha256(named).digest()).decode(), f"keyid {key_id}"
            return key

    verifier = HTTPMessageVerifier(signature_algorithm=algorithm(line), key_resolver=Resolver())
    results = verifier.verify(message, max_age=datetime.timedelta(days=36500))
    assert len(results) == 1 and results[0].label == "assay", "not one signature"
    covered = [str(name).split(";")[0].strip('"') for name in results[0].covered_components]
    expected = ["@method", "@target-uri"] + (["content-digest"] if message.body else [])
    assert covered[:2] == expected[:2] and set(expected) <= set(covered), covered
    digest = message.headers.get("Content-Digest")
    wanted = "sha-256=:" + base64.b64encode(hashlib.sha256(message.body).digest()).decode() + ":" if message.body else None
    assert digest == wanted, f"Content-Digest is {digest}"


def main(paths):
    count = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                try:
                    verify(json.loads(text))
                except Exception as error:
                    sys.exit(f"{path}:{number}: {type(error).__name__}: {error}\n{text}")
                count += 1
    if count == 0:
        sys.exit("no request was signed")
    print(f"{count} requests of the kits verified by http-message-signatures")


main(sys.argv[1:])
