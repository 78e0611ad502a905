"""Verifies tokens with HS256 by implementations that are not Assay's, and says how long that takes.

Reads JSON, one value per line. The first is the subject: `secret` (base64) and `tokens`. Each further one is an order,
`library` (pyjwt or joserfc) and `count`, and is answered with the seconds of processor time that verifying as many
tokens took. Ends with its input.
"""

import base64
import itertools
import json
import sys
import time
import warnings

import joserfc.jwk
import joserfc.jwt
import jwt


def main():
    warnings.simplefilter("ignore")
    subject = json.loads(sys.stdin.readline())
    secret = base64.b64decode(subject["secret"])
    tokens = subject["tokens"]
    # Parsed once, as ours is.
    key = joserfc.jwk.OctKey.import_key(secret)

    def pyjwt(token):
        jwt.decode(token, secret, algorithms=["HS256"])

    def joserfc_(token):
        claims = joserfc.jwt.decode(token, key, algorithms=["HS256"]).claims
        joserfc.jwt.JWTClaimsRegistry().validate(claims)

    libraries = {"pyjwt": pyjwt, "joserfc": joserfc_}
    for line in sys.stdin:
        order = json.loads(line)
        verify = libraries[order["library"]]
        chosen = list(itertools.islice(itertools.cycle(tokens), order["count"]))
        start = time.process_time()
        for token in chosen:
            verify(token)
        print(json.dumps(time.process_time() - start), flush=True)


if __name__ == "__main__":
    main()
