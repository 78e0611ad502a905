"""Opens and creates JOSE objects with other implementations than Assay.

Reads one JSON request per line and answers each with one JSON object per line, until its input ends. A request has
`library` (joserfc, jwcrypto or pyjwt), `op` and what the operation needs; bytes are base64. An answer has `result`, or
`error` when the library refuses. Any other failure, such as an unknown operation, ends the program.

    open-jwe    token, algorithm, key (bytes)             -> the plaintext
    verify-jws  token, algorithm, key (bytes or PEM)      -> the payload
    make-jwe    plaintext, algorithm, key                 -> the token
    make-jws    payload, algorithm, key                   -> the token
    make-key    algorithm (ES256 or RS256)                -> private and public key in PEM
    verify-jwt  token, algorithm, key                     -> the claims of a token that has not expired, as JSON
    make-jwt    claims (JSON), algorithm, key             -> the token

Operations of http_messages.py have no `library`; a request has method, uri and fields, which are pairs.

    signature-base  request, components, keyID, created, expires, algorithm, key        -> the signature base
    sign-message    the same, and label, body                                           -> the fields
    verify-message  request, algorithm, key, body                                       -> the labels
    content-digest  body, algorithm (sha-256 or sha-512)                                -> the value of the field
"""

import base64
import functools
import json
import sys

import joserfc.jwe
import joserfc.jwk
import joserfc.jws
import joserfc.jwt
import jwcrypto.common
import jwcrypto.jwe
import jwcrypto.jwk
import jwcrypto.jws
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

import http_messages

CONTENT = "A256GCM"


class Joserfc:
    # Loading a private RSA key tests its primes, which takes longer than all operations with the key.
    @functools.lru_cache(maxsize=8)
    def key(self, algorithm, key):
        if isinstance(key, bytes):
            return joserfc.jwk.OctKey.import_key(key)
        is_elliptic = algorithm in ("ES256", "ECDH-ES")
        return (joserfc.jwk.ECKey if is_elliptic else joserfc.jwk.RSAKey).import_key(key)

    def open_jwe(self, token, algorithm, key):
        return joserfc.jwe.decrypt_compact(token, self.key(algorithm, key), algorithms=[algorithm, CONTENT]).plaintext

    def verify_jws(self, token, algorithm, key):
        return joserfc.jws.deserialize_compact(token, self.key(algorithm, key), algorithms=[algorithm]).payload

    def make_jwe(self, plaintext, algorithm, key):
        header = {"alg": algorithm, "enc": CONTENT}
        return joserfc.jwe.encrypt_compact(
            header, plaintext, self.key(algorithm, key), algorithms=[algorithm, CONTENT])

    def make_jws(self, payload, algorithm, key):
        return joserfc.jws.serialize_compact({"alg": algorithm}, payload, self.key(algorithm, key), algorithms=[algorithm])

    def verify_jwt(self, token, algorithm, key):
        is_encrypted = algorithm.endswith("KW")
        claims = json.loads(
            self.open_jwe(token, algorithm, key) if is_encrypted else self.verify_jws(token, algorithm, key))
        joserfc.jwt.JWTClaimsRegistry(exp={"essential": True}, leeway=0).validate(claims)
        return claims

    def make_jwt(self, claims, algorithm, key):
        text = json.dumps(claims).encode()
        is_encrypted = algorithm.endswith("KW")
        return self.make_jwe(text, algorithm, key) if is_encrypted else self.make_jws(text, algorithm, key)


class Jwcrypto:
    @functools.lru_cache(maxsize=8)
    def key(self, algorithm, key):
        if isinstance(key, bytes):
            return jwcrypto.jwk.JWK(kty="oct", k=jwcrypto.common.base64url_encode(key))
        return jwcrypto.jwk.JWK.from_pem(key.encode())

    def open_jwe(self, token, algorithm, key):
        jwe = jwcrypto.jwe.JWE(algs=[algorithm, CONTENT])
        jwe.deserialize(token, self.key(algorithm, key))
        return jwe.payload

    def verify_jws(self, token, algorithm, key):
        jws = jwcrypto.jws.JWS()
        jws.allowed_algs = [algorithm]
        jws.deserialize(token, self.key(algorithm, key), alg=algorithm)
        return jws.payload

    def make_jwe(self, plaintext, algorithm, key):
        header = json.dumps({"alg": algorithm, "enc": CONTENT})
        jwe = jwcrypto.jwe.JWE(plaintext, protected=header, algs=[algorithm, CONTENT])
        jwe.add_recipient(self.key(algorithm, key))
        return jwe.serialize(compact=True)

    def make_jws(self, payload, algorithm, key):
        jws = jwcrypto.jws.JWS(payload)
        jws.allowed_algs = [algorithm]
        jws.add_signature(self.key(algorithm, key), alg=algorithm, protected=json.dumps({"alg": algorithm}))
        return jws.serialize(compact=True)


class PyJWT:
    def verify_jwt(self, token, algorithm, key):
        return jwt.decode(token, key, algorithms=[algorithm], options={"require": ["exp"]})

    def make_jwt(self, claims, algorithm, key):
        return jwt.encode(claims, key, algorithm=algorithm)


LIBRARIES = {"joserfc": Joserfc(), "jwcrypto": Jwcrypto(), "pyjwt": PyJWT()}
MESSAGES = {
    "signature-base": http_messages.base, "sign-message": http_messages.sign, "verify-message": http_messages.verify,
}


def encoded(value):
    return base64.b64encode(value).decode()


def make_key(algorithm):
    key = ec.generate_private_key(ec.SECP256R1()) if algorithm == "ES256" else rsa.generate_private_key(65537, 2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return {"private": private.decode(), "public": public.decode()}


def answer(request):
    operation = request["op"]
    if operation == "make-key":
        return {"result": make_key(request["algorithm"])}
    if operation == "content-digest":
        return {"result": http_messages.digest(request)}
    key = request["pem"] if "pem" in request else base64.b64decode(request["key"], validate=True)
    try:
        if operation in MESSAGES:
            return {"result": MESSAGES[operation](request["message"], key)}
        return {"result": operate(request, LIBRARIES[request["library"]], request["algorithm"], key)}
    # Broken tokens make them raise more than their own exceptions. A mistake in this program cannot hide here: it would
    # be a good token refused.
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def operate(request, library, algorithm, key):
    operation = request["op"]
    if operation == "verify-jwt":
        return library.verify_jwt(request["token"], algorithm, key)
    if operation == "make-jwt":
        return library.make_jwt(json.loads(request["claims"]), algorithm, key)
    data = request["token"] if "token" in request else base64.b64decode(request["data"], validate=True)
    perform = {
        "open-jwe": lambda: encoded(library.open_jwe(data, algorithm, key)),
        "verify-jws": lambda: encoded(library.verify_jws(data, algorithm, key)),
        "make-jwe": lambda: library.make_jwe(data, algorithm, key),
        "make-jws": lambda: library.make_jws(data, algorithm, key),
    }[operation]
    return perform()


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
