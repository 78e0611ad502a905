"""Tokens that are a JWS with HS256 or ES256, or a JWE with A256GCMKW and A256GCM, with claims of which `exp` counts.

The subject has `algorithm`, `tokens`, and `secret` (base64) or `publicKey` (PEM).
"""

import base64
import json

import joserfc.jwe
import joserfc.jwk
import joserfc.jwt
import jwcrypto.common
import jwcrypto.jwe
import jwcrypto.jwk
import jwcrypto.jwt
import jwt

CONTENT = "A256GCM"


def is_secret(subject):
    return "secret" in subject


def secret(subject):
    return base64.b64decode(subject["secret"])


def pyjwt(subject):
    # Parsed once, as ours is: PyJWT takes a key object of `cryptography` as it is.
    algorithm = jwt.get_algorithm_by_name(subject["algorithm"])
    key = algorithm.prepare_key(secret(subject) if is_secret(subject) else subject["publicKey"])
    algorithms = [subject["algorithm"]]

    def verify(token):
        jwt.decode(token, key, algorithms=algorithms, options={"require": ["exp"]})

    return verify, subject["tokens"]


def joserfc_(subject):
    algorithms = [subject["algorithm"]] + ([CONTENT] if subject["algorithm"].endswith("KW") else [])
    key = (
        joserfc.jwk.OctKey.import_key(secret(subject)) if is_secret(subject)
        else joserfc.jwk.ECKey.import_key(subject["publicKey"]))
    registry = joserfc.jwt.JWTClaimsRegistry(exp={"essential": True}, leeway=0)
    if subject["algorithm"].endswith("KW"):
        # Its function for tokens demands a header that allows both kinds; this is what lies below it.
        def claims(token):
            return json.loads(joserfc.jwe.decrypt_compact(token, key, algorithms=algorithms).plaintext)
    else:
        def claims(token):
            return joserfc.jwt.decode(token, key, algorithms=algorithms).claims

    def verify(token):
        registry.validate(claims(token))

    return verify, subject["tokens"]


def jwcrypto_(subject):
    is_encrypted = subject["algorithm"].endswith("KW")
    algorithms = [subject["algorithm"]] + ([CONTENT] if is_encrypted else [])
    key = (
        jwcrypto.jwk.JWK(kty="oct", k=jwcrypto.common.base64url_encode(secret(subject))) if is_secret(subject)
        else jwcrypto.jwk.JWK.from_pem(subject["publicKey"].encode()))

    def verify(token):
        jwcrypto.jwt.JWT(
            jwt=token, key=key, algs=algorithms, check_claims={"exp": None},
            expected_type="JWE" if is_encrypted else "JWS").claims

    return verify, subject["tokens"]


LIBRARIES = {"pyjwt": pyjwt, "joserfc": joserfc_, "jwcrypto": jwcrypto_}
