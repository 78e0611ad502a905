"""App Attest.

attestation: `appID`, `root` (PEM), and `items` with `keyID`, `attestation` and `challenge` (base64).
assertion: `items` with `assertion`, `clientData` (base64) and `publicKey` (base64 of a SubjectPublicKeyInfo).
"""

import base64
import hashlib

from cryptography.hazmat.primitives.serialization import load_der_public_key
from pyattest.assertion import Assertion
from pyattest.attestation import Attestation
from pyattest.configs.apple import AppleConfig


def decoded(item):
    return {name: base64.b64decode(value) for name, value in item.items()}


def pyattest_attestation(subject):
    root = subject["root"].encode()

    async def verify(item):
        config = AppleConfig(key_id=item["keyID"], app_id=subject["appID"], production=True, root_ca=root)
        await Attestation(item["attestation"], item["challenge"], config).verify()

    return verify, [decoded(item) for item in subject["items"]]


def pyattest_assertion(subject):
    config = AppleConfig(key_id=b"", app_id=subject["appID"], production=True)
    items = []
    for item in map(decoded, subject["items"]):
        # Parsed once, as ours is.
        items.append((item["assertion"], item["clientData"], load_der_public_key(item["publicKey"])))

    def verify(item):
        raw, client_data, public_key = item
        Assertion(raw, hashlib.sha256(client_data).digest(), public_key, config).verify()

    return verify, items


ATTESTATION = {"pyattest": pyattest_attestation}
ASSERTION = {"pyattest": pyattest_assertion}
