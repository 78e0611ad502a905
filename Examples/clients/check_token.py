#!/usr/bin/env python3
"""Checks tokens of Assay in a backend, with PyJWT (pip install 'pyjwt[crypto]') and nothing of Assay.

    check_token.py ISSUER AUDIENCE APP [SERVICE] <requests

A line of the input is a request, METHOD URL TOKEN [PROOF], with the proof of its field DPoP (RFC 9449). The answer is `accepted CLAIMS`
or `refused REASON`. APP is the name of the app in the issuer's policy: one issuer may have lax apps beside strict ones. SERVICE is the
address of the issuer, where it is not the issuer's name. ASSAY_COOLDOWN=30 are the least seconds between two fetches for unknown key IDs.
ASSAY_TEST_TOKENS=1 accepts tokens of test authorities, debug tokens and development builds, for tests alone.
"""
import base64
import hashlib
import json
import os
import sys
import time
import urllib.request

import jwt


def demand(holds, reason):
    if not holds:
        raise jwt.InvalidTokenError(reason)


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


class Checker:
    def __init__(self, issuer, audience, app, service):
        metadata = fetch(f"{service}/.well-known/openid-configuration")
        demand(metadata["issuer"] == issuer, f"the metadata is of {metadata['issuer']}")
        self.issuer, self.audience, self.app = issuer, audience, app
        self.url = metadata["jwks_uri"].replace(issuer, service, 1)
        self.keys, self.fetched, self.loaded, self.proofs = {}, float("-inf"), float("-inf"), {}

    def key(self, kid):
        age = time.monotonic() - self.fetched
        if age >= 600 or kid not in self.keys and age >= float(os.environ.get("ASSAY_COOLDOWN", 30)):
            self.fetched = time.monotonic()
            try:
                self.keys = {key.key_id: key.key for key in jwt.PyJWKSet.from_dict(fetch(self.url)).keys}
                self.loaded = time.monotonic()
            except OSError as error:  # The last keys count in an outage, for 20 minutes.
                print(f"no keys: {error}", file=sys.stderr)
        demand(kid in self.keys and time.monotonic() - self.loaded < 1200, "unknown key")
        return self.keys[kid]

    def check(self, method, url, token, proof=None):
        header = jwt.get_unverified_header(token)
        demand(header.get("typ") == "assay+jwt", "another type")
        claims = jwt.decode(token, self.key(header.get("kid")), algorithms=["ES256"], issuer=self.issuer, audience=self.audience,
                            options={"require": ["iss", "aud", "exp", "iat", "jti"], "strict_aud": True})
        demand(claims.get("app") == self.app, "another app")
        demand("use" not in claims, "the token is for one use, which needs a memory that all processes share")
        is_test = os.environ.get("ASSAY_TEST_TOKENS") and claims.get("env") in ("test", "development")
        demand("env" not in claims or is_test, "the token rests on no genuine device")
        if "cnf" in claims:
            self.check_proof(claims["cnf"]["jkt"], method, url.split("?")[0], token, proof)
        return claims

    def check_proof(self, thumbprint, method, url, token, proof):
        demand(proof, "a bound token needs the proof of its request")
        header = jwt.get_unverified_header(proof)
        jwk = header.get("jwk") or {}
        demand(header.get("typ") == "dpop+jwt" and jwk.get("crv") == "P-256" and "d" not in jwk, "no proof with a public key")
        claims = jwt.decode(proof, jwt.PyJWK(jwk, "ES256").key, algorithms=["ES256"], leeway=60,
                            options={"require": ["jti", "htm", "htu", "iat", "ath"]})
        members = json.dumps({name: jwk[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":"))
        demand(digest(members) == thumbprint, "the proof is of another key")
        demand((claims["htm"], claims["htu"], claims["ath"]) == (method, url, digest(token)), "the proof is for another request")
        now = time.time()
        demand(abs(now - claims["iat"]) <= 60, "the proof is of another time")
        # Several processes must share this memory.
        self.proofs = {jti: end for jti, end in self.proofs.items() if end > now}
        demand(self.proofs.setdefault((thumbprint, claims["jti"]), now + 121) == now + 121, "the proof was used before")


if __name__ == "__main__":
    checker = Checker(*sys.argv[1:4], sys.argv[4] if len(sys.argv) > 4 else sys.argv[1])
    for line in sys.stdin:
        try:
            print("accepted", json.dumps(checker.check(*line.split())), flush=True)
        except (jwt.PyJWTError, KeyError, TypeError, ValueError) as error:
            print("refused", error, flush=True)
