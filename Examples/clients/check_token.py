#!/usr/bin/env python3
"""Checks a token of Assay in a backend, with PyJWT and nothing of Assay.

    pip install 'pyjwt[crypto]'
    check_token.py --issuer https://attest.example.com --audience https://api.example.com TOKEN_FILE

Prints the claims of a valid token. Exit status: 0 valid, 1 not. A bound token (`cnf.jkt`) counts only with the DPoP proof of the
request (RFC 9449), which forward auth of Assay checks.
"""

import argparse
import json
import sys
import urllib.request

import jwt


def key_set_url(issuer, service):
    """The URL of the keys, from the issuer's metadata. `service` is where the issuer is reached, if not under its own name."""
    with urllib.request.urlopen(f"{service or issuer}/.well-known/openid-configuration", timeout=10) as answer:
        metadata = json.load(answer)
    if metadata["issuer"] != issuer:
        raise jwt.InvalidIssuerError(f"the metadata is of {metadata['issuer']}")
    url = metadata["jwks_uri"]
    return service + url.removeprefix(issuer) if service else url


def check(token, issuer, audience, keys):
    """The claims of a valid token. Raises a jwt.PyJWTError for any other."""
    if jwt.get_unverified_header(token).get("typ") != "assay+jwt":
        raise jwt.InvalidTokenError("the token is of another type")
    return jwt.decode(
        token,
        keys.get_signing_key_from_jwt(token),
        algorithms=["ES256"],
        issuer=issuer,
        audience=audience,
        options={"require": ["iss", "aud", "exp", "iat", "jti"], "strict_aud": True},
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--issuer", required=True)
    parser.add_argument("--audience", required=True)
    parser.add_argument("--service")
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, encoding="ascii") as file:
        token = file.read().strip()
    # A backend keeps this object: it caches the keys for ten minutes, as the service allows.
    keys = jwt.PyJWKClient(key_set_url(options.issuer, options.service), cache_jwk_set=True, lifespan=600)
    try:
        print(json.dumps(check(token, options.issuer, options.audience, keys)))
    except jwt.PyJWTError as error:
        print(f"refused: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
