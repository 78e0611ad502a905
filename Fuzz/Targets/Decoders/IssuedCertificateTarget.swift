import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

extension FuzzTarget {
    /// Certificates with any content, all signed by the authority. Whether such a certificate has a path must not
    /// depend on whether the validator remembers its issuers. With remembered issuers, Assay's own rules replace
    /// OpenSSL's.
    ///
    /// The input is the signed part, tbsCertificate.
    static let issuedCertificate = FuzzTarget(
        name: "issued-certificate", maximumLength: 1024, dictionary: certificate.dictionary,
        seeds: { try IssuedCertificates.seeds() },
        run: { input in
            // Signing is slow: skip inputs that are no certificate.
            guard (try? Certificate(der: IssuedCertificates.joined(input, signature: [0])[...])) != nil,
                let issued = IssuedCertificates.issued(input), let authority = IssuedCertificates.authority
            else { return false }
            func answer(_ validator: CertificatePathValidator) -> Result<ValidatedPath, PathFailure> {
                validator.validate(issued, intermediates: [authority.intermediate], at: MintedSeeds.issuedAt)
            }
            let anew = answer(CertificatePathValidator(anchors: [authority.root]))
            switch (anew, answer(authority.remembering)) {
            case (.success(let first), .success(let second)):
                require(first.chain == second.chain, "two paths of one certificate")
                return true
            case (.failure, .failure): return false
            case (.success, .failure(let failure)):
                broken("accepted anew, refused under what is remembered: \(failure)")
            case (.failure(let failure), .success):
                broken("refused anew, accepted under what is remembered: \(failure)")
            }
        })
}

/// An authority that signs anything.
private enum IssuedCertificates {
    struct Authority {
        let root: Certificate
        let intermediate: Certificate
        let issuer: TestIssuer
        /// Has validated a genuine leaf, and remembers its issuers.
        let remembering: CertificatePathValidator
    }

    private static let algorithm = DERBuilder.sequence(DERBuilder.objectIdentifier([1, 2, 840, 10045, 4, 3, 2]))

    static let authority: Authority? = try? {
        let start = MintedSeeds.issuedAt.addingTimeInterval(-86_400)
        let end = start.addingTimeInterval(10 * 365 * 86_400)
        func key(_ label: String) -> TestKey { TestKey(.p256, seed: "assay fuzz", label: label) }
        let root = try TestIssuer.selfSigned(
            name: DistinguishedName([.init(.commonName, "root")]), key: key("root"), notBefore: start, notAfter: end)
        let issuerKey = key("issuer")
        let issuer = try root.issue(
            name: DistinguishedName([.init(.commonName, "issuer")]), key: issuerKey, notBefore: start, notAfter: end,
            extensions: [
                .basicConstraints(isCA: true, pathLength: 0), .authorityKeyIdentifier(point: root.key.publicPoint),
                .subjectKeyIdentifier(point: issuerKey.publicPoint), .keyUsage(0x06),
            ])
        let (anchor, intermediate) = try (
            Certificate(der: root.certificate[...]), Certificate(der: issuer.certificate[...])
        )
        let remembering = CertificatePathValidator(anchors: [anchor])
        let leaf = try Certificate(der: leaves(of: issuer)[0][...])
        _ = remembering.validate(leaf, intermediates: [intermediate], at: MintedSeeds.issuedAt)
        return Authority(root: anchor, intermediate: intermediate, issuer: issuer, remembering: remembering)
    }()

    private static func leaves(of issuer: TestIssuer) throws(MintingError) -> [[UInt8]] {
        let key = TestKey(.p256, seed: "assay fuzz", label: "leaf")
        let identifiers: [CertificateExtension] = [
            .authorityKeyIdentifier(point: issuer.key.publicPoint), .subjectKeyIdentifier(point: key.publicPoint),
            .keyUsage(0x80), .basicConstraints(isCA: false), .extendedKeyUsage([1, 3, 6, 1, 5, 5, 7, 3, 1]),
        ]
        let name = CertificateExtension(
            [2, 5, 29, 17], value: DERBuilder.sequence(DERBuilder.element(0x82, Array("a.example".utf8))))
        // Extensions that OpenSSL reads and Assay does not: policies, CRL distribution points, Netscape's.
        let others = [
            CertificateExtension([2, 5, 29, 32], value: [0x30, 0x06, 0x30, 0x04, 0x06, 0x02, 0x2A, 0x03]),
            CertificateExtension(
                [2, 5, 29, 31], value: [0x30, 0x09, 0x30, 0x07, 0xA0, 0x05, 0xA0, 0x03, 0x86, 0x01, 0x78]),
            CertificateExtension([2, 16, 840, 1, 113730, 1, 1], value: [0x03, 0x02, 0x07, 0x80]),
        ]
        var leaves: [[UInt8]] = []
        for extensions in [Array(identifiers.prefix(2)), identifiers + [name]] + others.map({ [$0] }) {
            leaves.append(
                try issuer.issue(
                    name: DistinguishedName([.init(.commonName, "leaf"), .init(.country, "US")]), key: key,
                    notBefore: MintedSeeds.issuedAt.addingTimeInterval(-60),
                    notAfter: MintedSeeds.issuedAt.addingTimeInterval(86_400), extensions: extensions,
                    signatureAlgorithm: .ecdsaWithSHA256
                ).certificate)
        }
        return leaves
    }

    static func seeds() throws -> [[UInt8]] {
        guard let authority else { throw MintingError("the authority cannot be minted") }
        return try leaves(of: authority.issuer).map { Array(try Certificate(der: $0[...]).tbsBytes) }
    }

    static func joined(_ tbs: [UInt8], signature: [UInt8]) -> [UInt8] {
        DERBuilder.sequence(tbs, algorithm, DERBuilder.bitString(signature))
    }

    static func issued(_ tbs: [UInt8]) -> Certificate? {
        guard let signature = try? authority?.issuer.key.signature(over: tbs) else { return nil }
        return try? Certificate(der: joined(tbs, signature: signature.der)[...])
    }
}
