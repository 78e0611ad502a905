"""Classic integrity tokens: a JWS with ES256 inside of a JWE with A256KW and A256GCM.

The subject has `decryptionKey`, `verificationKey` (base64, as Google's console hands them out), `packageName`, `nonce`
(base64), `digest` (hexadecimal) and `token`.
"""

import base64
import json

import joserfc.jwe
import joserfc.jwk
import joserfc.jws
import jwcrypto.common
import jwcrypto.jwe
import jwcrypto.jwk
import jwcrypto.jws
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from pyattest.attestation import Attestation
from pyattest.configs.google_play_integrity_api import GooglePlayIntegrityApiConfig


def pyattest(subject):
    nonce = base64.b64decode(subject["nonce"])
    # Its keys are parsed once, as ours are.
    config = GooglePlayIntegrityApiConfig(
        decryption_key=subject["decryptionKey"], verification_key=subject["verificationKey"],
        apk_package_name=subject["packageName"], production=True, verify_code_signature_hex=[subject["digest"]])

    async def verify(token):
        await Attestation(token, nonce, config).verify()

    return verify, [subject["token"]]


def pem(subject):
    key = load_der_public_key(base64.b64decode(subject["verificationKey"]))
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def joserfc_(subject):
    decryption = joserfc.jwk.OctKey.import_key(base64.b64decode(subject["decryptionKey"]))
    verification = joserfc.jwk.ECKey.import_key(pem(subject))

    def verify(token):
        inner = joserfc.jwe.decrypt_compact(token, decryption, algorithms=["A256KW", "A256GCM"]).plaintext
        json.loads(joserfc.jws.deserialize_compact(inner, verification, algorithms=["ES256"]).payload)

    return verify, [subject["token"]]


def jwcrypto_(subject):
    secret = base64.b64decode(subject["decryptionKey"])
    decryption = jwcrypto.jwk.JWK(kty="oct", k=jwcrypto.common.base64url_encode(secret))
    verification = jwcrypto.jwk.JWK.from_pem(pem(subject))

    def verify(token):
        jwe = jwcrypto.jwe.JWE(algs=["A256KW", "A256GCM"])
        jwe.deserialize(token, decryption)
        jws = jwcrypto.jws.JWS()
        jws.allowed_algs = ["ES256"]
        jws.deserialize(jwe.payload.decode(), verification, alg="ES256")
        json.loads(jws.payload)

    return verify, [subject["token"]]


LIBRARIES = {"pyattest": pyattest, "joserfc": joserfc_, "jwcrypto": jwcrypto_}
