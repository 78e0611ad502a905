"""Authenticates clients as an authorization server does by draft-ietf-oauth-attestation-based-client-auth-08, with PyJWT.

    python authorization_server.py SERVICE ISSUER CLIENT_ID AUDIENCE

It finds the keys of the attester by discovery at SERVICE. The first line of its output is the answer of its challenge endpoint. For each
line {"attestation": ..., "pop": ...} of its input it prints {"client_id": ...} or {"error": ...}.
"""

import json
import secrets
import sys
import time
import urllib.parse
import urllib.request

import jwt

SERVICE, ISSUER, CLIENT_ID, AUDIENCE = sys.argv[1:]


def get(path):
    """A document of the attester, which the test runs at another address than its own."""
    with urllib.request.urlopen(SERVICE + path, timeout=600) as answer:
        return json.load(answer)


def decoded(token, key, kind, **options):
    """The claims of a token of one type; signed with ES256."""
    if jwt.get_unverified_header(token).get("typ") != kind:
        raise jwt.InvalidTokenError("another type")
    return jwt.decode(token, key, algorithms=["ES256"], **options)


class Refusal(Exception):
    """An error code of the draft, section 7."""


class Server:
    def __init__(self):
        metadata = get("/.well-known/openid-configuration")
        assert metadata["issuer"] == ISSUER
        assert metadata["client_attestation_version"] == "draft-ietf-oauth-attestation-based-client-auth-08"
        self.keys = jwt.PyJWKSet.from_dict(get(urllib.parse.urlsplit(metadata["jwks_uri"]).path))
        self.challenge = secrets.token_urlsafe(16)
        self.used = set()

    def authenticate(self, attestation, pop):
        """The client ID of an attestation with its proof."""
        try:
            key = self.keys[jwt.get_unverified_header(attestation)["kid"]]
            claims = decoded(
                attestation, key, "oauth-client-attestation+jwt", issuer=ISSUER,
                options={"require": ["sub", "exp", "cnf"], "verify_aud": False})
        except jwt.ExpiredSignatureError as error:
            raise Refusal("use_fresh_attestation") from error
        except (jwt.PyJWTError, KeyError) as error:
            raise Refusal("invalid_client_attestation") from error
        try:
            proof = decoded(
                pop, jwt.PyJWK(claims["cnf"]["jwk"]), "oauth-client-attestation-pop+jwt", audience=AUDIENCE,
                options={"require": ["aud", "jti", "iat"]})
        except (jwt.PyJWTError, KeyError) as error:
            raise Refusal("invalid_client_attestation") from error
        if proof.get("challenge") != self.challenge:
            raise Refusal("use_attestation_challenge")
        if claims["sub"] != CLIENT_ID or abs(time.time() - proof["iat"]) > 300 or proof["jti"] in self.used:
            raise Refusal("invalid_client_attestation")
        self.used.add(proof["jti"])
        return claims["sub"]


server = Server()
print(json.dumps({"attestation_challenge": server.challenge}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"client_id": server.authenticate(request["attestation"], request["pop"])}
    except Refusal as refusal:
        answer = {"error": str(refusal)}
    print(json.dumps(answer), flush=True)
