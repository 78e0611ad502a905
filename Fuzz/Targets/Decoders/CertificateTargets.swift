import AssayCore
import AssayPrimitives
import AssayTesting

extension FuzzTarget {
    /// Single certificates: the parts are slices of the input, and a copy has equal parts.
    static let certificate = FuzzTarget(
        name: "certificate", maximumLength: 2048, dictionary: CertificateReading.dictionary,
        seeds: { try CertificateReading.seeds() },
        run: { input in
            let read = Reading(input) { (bytes) throws(DecodeError) in try Certificate(der: bytes) }
            guard let certificate = read.value else { return false }
            require(certificate.der == input[...], "a certificate that is not all of its bytes")
            let parts = [
                certificate.tbsBytes, certificate.serialNumber, certificate.issuer, certificate.subject,
                certificate.subjectPublicKeyInfo, certificate.signature,
            ]
            for part in parts + certificate.extensions.map(\.value) {
                require(
                    part.startIndex >= 0 && part.endIndex <= input.count && input[part.indices] == part,
                    "a part that stands elsewhere")
            }
            require(
                (1...20).contains(certificate.serialNumber.count) && !certificate.issuer.isEmpty,
                "a certificate without its fields")
            for text in [certificate.subjectDescription, certificate.issuerDescription] {
                require(text.unicodeScalars.allSatisfy { !$0.isActedOn }, "a name that acts on a terminal: \(text)")
            }
            if let key = try? certificate.publicKey() {
                require(
                    key.x963Representation.count == key.curve.pointLength
                        && Array(certificate.subjectPublicKeyInfo.suffix(key.curve.pointLength))
                            == key.x963Representation,
                    "another key than the one that is in it")
            }
            return true
        })

    /// Certificate paths: the input replaces one certificate of a genuine path. No changed certificate may be accepted.
    ///
    /// The first byte selects the certificate that the rest replaces: leaf, intermediate or root.
    static let certificatePath = FuzzTarget(
        name: "certificate-path", maximumLength: 2048, dictionary: CertificateReading.dictionary,
        seeds: { try CertificateReading.pathSeeds() },
        run: { input in
            guard let place = input.first, let minted = CertificateReading.minted else { return false }
            guard let changed = try? Certificate(der: input[1...]) else { return false }
            var path = minted
            path[Int(place) % 3] = changed
            let validator = CertificatePathValidator(anchors: [path[2]], algorithms: .ecdsaAndRSA)
            let first = validator.validate(path[0], intermediates: [path[1]], at: MintedSeeds.issuedAt)
            let second = validator.validate(path[0], intermediates: [path[1]], at: MintedSeeds.issuedAt)
            switch (first, second) {
            case (.success(let path), .success(let again)):
                require(path.chain == again.chain, "two paths of the same certificates")
                for (certificate, original) in zip(path.chain, minted) {
                    // No certificate signs the signature field of an anchor: it may differ.
                    require(
                        certificate == original
                            || place % 3 == 2 && certificate == changed
                                && changed.subjectPublicKeyInfo == original.subjectPublicKeyInfo,
                        "a path over a certificate that nobody issued: \(certificate.subjectDescription)")
                }
                return true
            case (.failure(let failure), .failure(let again)):
                require(failure == again, "two reasons: \(failure), \(again)")
                return false
            case (.success, .failure(let failure)), (.failure(let failure), .success):
                broken("accepted once and refused once: \(failure)")
            }
        })
}

/// Certificates to start from.
private enum CertificateReading {
    static let dictionary = [
        "\u{6}\u{3}\u{55}\u{1d}\u{13}", "\u{6}\u{3}\u{55}\u{1d}\u{f}", "\u{6}\u{3}\u{55}\u{1d}\u{e}",
        "\u{6}\u{3}\u{55}\u{1d}\u{23}", "\u{6}\u{3}\u{55}\u{4}\u{3}", "\u{1}\u{1}", "240101000000Z",
    ]

    /// Leaf, intermediate and root.
    static let minted: [Certificate]? = try? {
        let attestation = try MintedSeeds.attestation()
        let root = try MintedSeeds.authority().rootCertificate
        return try (attestation.certificates + [root]).map { try Certificate(der: $0[...]) }
    }()

    static func seeds() throws -> [[UInt8]] {
        let authority = try MintedSeeds.authority()
        return try MintedSeeds.attestation(device: .macOS27).certificates + [
            authority.rootCertificate, authority.receiptSigner.certificate, authority.receiptAuthority.certificate,
        ]
    }

    static func pathSeeds() throws -> [[UInt8]] {
        let certificates = try MintedSeeds.attestation().certificates + [MintedSeeds.authority().rootCertificate]
        return certificates.enumerated().map { [UInt8($0.offset)] + $0.element }
    }
}
