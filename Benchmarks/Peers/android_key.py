"""Android Key Attestation.

key-attestation: `root` (base64 of a certificate in DER), and `items` with `certificates` (base64 of DER, leaf first) and `challenge`.
"""

import base64

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

DESCRIPTION = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.1.17")


def public_key(certificate):
    return certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def cryptography_walk(subject):
    root = public_key(x509.load_der_x509_certificate(base64.b64decode(subject["root"])))

    def verify(item):
        certificates, challenge = item
        chain = [x509.load_der_x509_certificate(der) for der in certificates]
        for certificate, issuer in zip(chain, chain[1:]):
            certificate.verify_directly_issued_by(issuer)
        if public_key(chain[-1]) != root:
            raise ValueError("another root")
        description = chain[0].extensions.get_extension_for_oid(DESCRIPTION).value.value
        if challenge not in description:
            raise ValueError("another challenge")

    items = [
        ([base64.b64decode(der) for der in item["certificates"]], base64.b64decode(item["challenge"]))
        for item in subject["items"]
    ]
    return verify, items


LIBRARIES = {"cryptography": cryptography_walk}
