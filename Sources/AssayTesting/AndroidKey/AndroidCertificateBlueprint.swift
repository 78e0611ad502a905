/// A certificate of a chain to mint: its fields, its own key, and the key that signs it. Every field accepts any value.
package struct AndroidCertificateBlueprint: Sendable {
    package var fields: CertificateBlueprint { didSet { issued = nil } }
    package var signer: AndroidTestKey { didSet { issued = nil } }
    /// The private key of the certificate. Its public key is in the fields.
    package var key: AndroidTestKey
    /// The signed certificate; nil after a change. Cached, because RSA signing is slow here.
    private var issued: [UInt8]?

    package init(fields: CertificateBlueprint, key: AndroidTestKey, signer: AndroidTestKey) {
        (self.fields, self.key, self.signer) = (fields, key, signer)
    }

    /// The subject as issuer of another certificate.
    package var name: DistinguishedName { fields.subject }

    /// Replaces the private and the public key.
    package mutating func replaceKey(with key: AndroidTestKey) {
        self.key = key
        fields.subjectPublicKeyInfo = key.subjectPublicKeyInfo
    }

    /// Signs with another key, by the algorithm of that key.
    package mutating func sign(with signer: AndroidTestKey) {
        self.signer = signer
        fields.signatureAlgorithm = signer.signatureAlgorithm
    }

    /// The certificate, DER.
    package func certificate() throws(MintingError) -> [UInt8] {
        if let issued { return issued }
        return try fields.signed { (message) throws(MintingError) in
            try signer.signature(over: message, hash: fields.signatureAlgorithm.hash)
        }
    }

    /// The same blueprint with the certificate signed.
    func signed() throws(MintingError) -> AndroidCertificateBlueprint {
        var copy = self
        copy.issued = try certificate()
        return copy
    }
}
