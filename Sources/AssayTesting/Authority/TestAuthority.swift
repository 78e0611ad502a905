public import FoundationEssentials

/// A stand-in for Apple's certificate authorities: a root, an issuer of attestation leaves, and a receipt signer.
///
/// The certificates have the shape of Apple's, with other names. A policy trusts them only if `testRoots` names the
/// root; every verdict then states that it rests on a test authority. Unlike Apple's, the receipt chain ends at the
/// same root as the attestation chain.
///
///     let authority = try TestAuthority(notBefore: Date(timeIntervalSinceNow: -2 * 86_400))
///     let key = AttestedKey()
///     var attestation = AttestationBlueprint(
///         authority: authority, key: key, appID: "1234567890.com.example.shop",
///         clientData: .bytes(challenge), issuedAt: Date())
///     attestation.authenticatorData.counter = 1       // the server must reject this
///     let minted = try attestation.mint()             // minted.attestation, minted.keyID, minted.record(id:).jsonLine
public struct TestAuthority: Sendable {
    /// The root: P-384, self-signed.
    package let root: TestIssuer
    /// The issuer of attestation leaves: P-384, path length 0.
    package let attestationAuthority: TestIssuer
    /// The issuer of receipt signers: P-256, with the marker extension 1.2.840.113635.100.6.2.3.
    package let receiptAuthority: TestIssuer
    /// The receipt signer: P-256, with the marker extension 1.2.840.113635.100.12.15.
    package let receiptSigner: TestIssuer

    /// Creates an authority.
    ///
    /// - Parameters:
    ///   - organization: The O of every name, and the prefix of the common names.
    ///   - seed: The source of the keys. The same seed gives the same keys; nil gives random keys.
    ///   - notBefore: The start of validity. The root is valid for 25 years, the leaf issuer for 10, the issuer of
    ///     receipt signers for 15, and the receipt signer for 10; Apple renews its receipt signer about yearly. For
    ///     others, see ``receiptSigner(seed:notBefore:notAfter:isMarked:)``.
    public init(organization: String = "Assay Test", seed: String? = nil, notBefore: Date) throws(MintingError) {
        func key(_ curve: TestKey.Curve, _ label: String) -> TestKey {
            seed.map { TestKey(curve, seed: $0, label: label) } ?? TestKey(curve)
        }
        func later(_ years: Double) -> Date { notBefore.addingTimeInterval(years * 365 * 86_400) }
        root = try TestIssuer.selfSigned(
            name: Self.name("App Attestation Root CA", organization), key: key(.p384, "root"),
            notBefore: notBefore, notAfter: later(25))
        attestationAuthority = try Self.attestationAuthority(
            under: root, organization: organization, key: key(.p384, "attestation"),
            notBefore: notBefore, notAfter: later(10))
        let receiptKey = key(.p256, "receipt-authority")
        receiptAuthority = try root.issue(
            name: DistinguishedName([
                .init(.commonName, "\(organization) Application Integration CA"),
                .init(.organizationalUnit, "\(organization) Certification Authority"),
                .init(.organization, organization), .init(.country, "US"),
            ]),
            key: receiptKey, notBefore: notBefore, notAfter: later(15),
            extensions: [
                .basicConstraints(isCA: true), .authorityKeyIdentifier(point: root.key.publicPoint),
                .subjectKeyIdentifier(point: receiptKey.publicPoint), .keyUsage(0x06), .receiptAuthorityMarker,
            ])
        receiptSigner = try Self.receiptSigner(
            under: receiptAuthority, organization: organization, key: key(.p256, "receipt-signer"),
            notBefore: notBefore, notAfter: later(10), isMarked: true)
    }

    /// Restores an authority from its parts, such as keys and certificates in files.
    package init(
        root: TestIssuer, attestationAuthority: TestIssuer, receiptAuthority: TestIssuer, receiptSigner: TestIssuer
    ) {
        (self.root, self.attestationAuthority) = (root, attestationAuthority)
        (self.receiptAuthority, self.receiptSigner) = (receiptAuthority, receiptSigner)
    }

    /// The organization in the names.
    package var organization: String {
        root.name.attributes.first { $0.type == .organization }?.text ?? ""
    }

    /// The root certificate, DER.
    public var rootCertificate: [UInt8] { root.certificate }

    /// The root certificate in PEM, as a file that a policy's `testRoots` names.
    public var rootPEM: String { root.pem }

    /// Issues another receipt signer, such as one with another validity or without the marker extension.
    package func receiptSigner(
        seed: String? = nil, notBefore: Date, notAfter: Date, isMarked: Bool = true
    ) throws(MintingError) -> TestIssuer {
        try Self.receiptSigner(
            under: receiptAuthority, organization: organization,
            key: seed.map { TestKey(.p256, seed: $0, label: "receipt-signer") } ?? TestKey(.p256),
            notBefore: notBefore, notAfter: notAfter, isMarked: isMarked)
    }

    /// Issues another certificate for the leaf issuer, with the same name and key and another validity.
    package func attestationAuthority(notBefore: Date, notAfter: Date) throws(MintingError) -> TestIssuer {
        try Self.attestationAuthority(
            under: root, organization: organization, key: attestationAuthority.key,
            notBefore: notBefore, notAfter: notAfter)
    }

    static func attestationAuthority(
        under root: TestIssuer, organization: String, key: TestKey, notBefore: Date, notAfter: Date
    ) throws(MintingError) -> TestIssuer {
        try root.issue(
            name: name("App Attestation CA 1", organization), key: key, notBefore: notBefore, notAfter: notAfter,
            extensions: [
                .basicConstraints(isCA: true, pathLength: 0), .authorityKeyIdentifier(point: root.key.publicPoint),
                .subjectKeyIdentifier(point: key.publicPoint), .keyUsage(0x06),
            ])
    }

    private static func receiptSigner(
        under authority: TestIssuer, organization: String, key: TestKey, notBefore: Date, notAfter: Date, isMarked: Bool
    ) throws(MintingError) -> TestIssuer {
        try authority.issue(
            name: DistinguishedName([
                .init(.commonName, "Application Attestation Fraud Receipt Signing"), .init(.organization, organization),
                .init(.country, "US"),
            ]),
            key: key, notBefore: notBefore, notAfter: notAfter,
            extensions: [
                .basicConstraints(isCA: false), .authorityKeyIdentifier(point: authority.key.publicPoint),
                .subjectKeyIdentifier(point: key.publicPoint), .keyUsage(0x80),
            ] + (isMarked ? [.receiptSignerMarker] : []),
            signatureAlgorithm: .ecdsaWithSHA256)
    }

    private static func name(_ role: String, _ organization: String) -> DistinguishedName {
        DistinguishedName([
            .init(.commonName, "\(organization) \(role)"), .init(.organization, organization),
            .init(.stateOrProvince, "California"),
        ])
    }
}
