"""Tokens that are a JWS with HS256. The subject has `secret` (base64) and `tokens`."""

import base64

import joserfc.jwk
import joserfc.jwt
import jwt


def pyjwt(subject):
    secret = base64.b64decode(subject["secret"])

    def verify(token):
        jwt.decode(token, secret, algorithms=["HS256"])

    return verify, subject["tokens"]


def joserfc_(subject):
    # Parsed once, as ours is.
    key = joserfc.jwk.OctKey.import_key(base64.b64decode(subject["secret"]))

    def verify(token):
        claims = joserfc.jwt.decode(token, key, algorithms=["HS256"]).claims
        joserfc.jwt.JWTClaimsRegistry().validate(claims)

    return verify, subject["tokens"]


LIBRARIES = {"pyjwt": pyjwt, "joserfc": joserfc_}
