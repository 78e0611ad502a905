"""Authenticates clients by attestations (draft-ietf-oauth-attestation-based-client-auth), with PyJWT.

    python authorization_server.py SERVICE ISSUER CLIENT_ID AUDIENCE MODE

MODE is draft-11, for the rules of that draft, or keycloak, for those of Keycloak 26.8, which follows draft -07.

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

SERVICE, ISSUER, CLIENT_ID, AUDIENCE, MODE = sys.argv[1:]
ATTESTATION, PROOF = "oauth-client-attestation+jwt", "oauth-client-attestation-pop+jwt"


def get(path):
    """A document of the attester, which the test runs at another address than its own."""
    with urllib.request.urlopen(SERVICE + path, timeout=600) as answer:
        return json.load(answer)


def decoded(token, key, kind, required, **options):
    """The claims of a token of one type; signed with ES256."""
    header = jwt.get_unverified_header(token)
    if header.get("typ") != kind or "crit" in header:
        raise jwt.InvalidTokenError("another type")
    options["options"] = {"require": required, "verify_aud": "audience" in options}
    return jwt.decode(token, key, algorithms=["ES256"], **options)


class Refusal(Exception):
    """An error code of the draft."""


def require(condition, code="invalid_client_attestation"):
    if not condition:
        raise Refusal(code)


class Draft11:
    """The rules of -11 sections 4 to 7. Unknown claims, such as iss, are ignored."""

    attestation_claims = ["sub", "exp", "cnf"]
    proof_claims = ["aud", "jti", "iat"]

    def __init__(self):
        self.used = set()

    def check(self, attestation, jwk, proof, challenge):
        require(not {"d", "k", "p", "q"} & jwk.keys())
        require(proof.get("challenge") == challenge, "use_attestation_challenge")
        require(abs(time.time() - proof["iat"]) <= 300 and proof["jti"] not in self.used)
        self.used.add(proof["jti"])


class Keycloak:
    """The rules of AttestationBasedClientAuthenticator: iss of -07 in both tokens, no challenge, no memory, no age of proofs."""

    attestation_claims = ["iss", "sub", "exp", "cnf"]
    proof_claims = ["iss", "aud", "jti", "iat"]

    def check(self, attestation, jwk, proof, challenge):
        require(attestation["iss"])
        # Without alg Keycloak takes the key for one of RS256.
        require(jwk.get("alg") == "ES256")
        require(proof["iss"] == attestation["sub"] and proof["jti"] and proof["iat"] != 0)


class Server:
    def __init__(self):
        metadata = get("/.well-known/openid-configuration")
        assert metadata["issuer"] == ISSUER
        self.keys = jwt.PyJWKSet.from_dict(get(urllib.parse.urlsplit(metadata["jwks_uri"]).path))
        self.challenge = secrets.token_urlsafe(16)
        self.rules = {"draft-11": Draft11, "keycloak": Keycloak}[MODE]()

    def authenticate(self, attestation, pop):
        """The client ID of an attestation with its proof."""
        rules = self.rules
        try:
            key = self.keys[jwt.get_unverified_header(attestation)["kid"]]
            claims = decoded(attestation, key, ATTESTATION, rules.attestation_claims)
            require(claims["sub"] == CLIENT_ID)
            jwk = claims["cnf"]["jwk"]
            proof = decoded(pop, jwt.PyJWK(jwk), PROOF, rules.proof_claims, audience=AUDIENCE)
        except jwt.ExpiredSignatureError as error:
            raise Refusal("use_fresh_attestation") from error
        except (jwt.PyJWTError, KeyError) as error:
            raise Refusal("invalid_client_attestation") from error
        rules.check(claims, jwk, proof, self.challenge)
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
