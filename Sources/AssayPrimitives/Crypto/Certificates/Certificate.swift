package import FoundationEssentials

/// A strictly decoded X.509 certificate (RFC 5280 section 4.1). ``CertificatePathValidator`` validates it.
package struct Certificate: Sendable, Hashable {
    // A class: copying a certificate then counts one reference.
    private let fields: CertificateFields

    /// Which deviations from RFC 5280 are tolerated.
    package enum Profile: Sendable {
        case internet
        /// The deviations of Android's keystores: NULL parameters of ECDSA algorithms, a critical flag encoded as 01,
        /// and any value of any extension. The certificate then has no ``basicConstraints`` and ``keyUsage``: the
        /// caller reads the extensions that it needs.
        case keystore
    }

    /// Decodes at most ``InputLimits/certificate`` bytes, without copying them. Error offsets are their indices.
    /// - Throws: ``DecodeError`` if it is not DER, or breaks a rule of RFC 5280 that does not depend on the path.
    package init(der: ArraySlice<UInt8>, profile: Profile = .internet) throws(DecodeError) {
        fields = try CertificateFields(der: der, profile)
    }

    /// The whole encoding.
    package var der: ArraySlice<UInt8> { fields.der }
    /// The DER tbsCertificate, which the issuer signs.
    package var tbsBytes: ArraySlice<UInt8> { fields.tbsBytes }
    /// The version: 1, 2 or 3.
    package var version: Int { fields.version }
    /// The serial number in two's complement, shortest form: 1 to 20 bytes, positive.
    package var serialNumber: ArraySlice<UInt8> { fields.serialNumber }
    /// The issuer's DER Name, never empty.
    package var issuer: ArraySlice<UInt8> { fields.issuer.bytes }
    /// The subject's DER Name.
    package var subject: ArraySlice<UInt8> { fields.subject.bytes }
    /// The start of validity, inclusive.
    package var notBefore: Date { fields.notBefore }
    /// The last valid second; fractions of it are still valid.
    package var notAfter: Date { fields.notAfter }
    /// The DER SubjectPublicKeyInfo. An RSA key whose algorithm has no parameters is given with NULL, so that each key has
    /// one encoding.
    package var subjectPublicKeyInfo: ArraySlice<UInt8> { fields.subjectPublicKeyInfo }
    /// The algorithm of the issuer's signature.
    package var signatureAlgorithm: SignatureAlgorithm { fields.signatureAlgorithm }
    /// The issuer's signature over ``tbsBytes``, in the form of its algorithm.
    package var signature: ArraySlice<UInt8> { fields.signature }
    /// The extensions in order, without duplicates.
    package var extensions: [Extension] { fields.extensions }
    /// The basicConstraints extension.
    package var basicConstraints: BasicConstraints? { fields.basicConstraints }
    /// The keyUsage extension.
    package var keyUsage: KeyUsage? { fields.keyUsage }
    /// The authorityKeyIdentifier extension.
    var authorityKeyIdentifier: AuthorityKeyIdentifier? { fields.authorityKeyIdentifier }
    /// The value of the subjectKeyIdentifier extension.
    var subjectKeyIdentifier: ArraySlice<UInt8>? { fields.subjectKeyIdentifier }

    /// The subject for display: `CN=..., O=...`, at most a few hundred characters, with control characters escaped.
    package var subjectDescription: String { fields.subject.description }
    /// The issuer for display, in the same form.
    package var issuerDescription: String { fields.issuer.description }
    /// The subject's first common name, or nil.
    package var commonName: String? { fields.subject.commonName }
    /// The texts of the subject's attributes of one type, in order, unabridged.
    package func subjectTexts(_ type: ObjectIdentifier) -> [String] { fields.subject.texts(type) }

    /// Whether issuer and subject are equal (RFC 5280 section 3.2).
    package var isSelfIssued: Bool { issuer.isByteEqual(to: subject) }

    /// The public key.
    /// - Throws: ``DecodeError`` unless it is a point on P-256 or P-384.
    package func publicKey() throws(DecodeError) -> ECDSAPublicKey {
        try ECDSAPublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
    }

    /// The extension with the given identifier.
    package func `extension`(_ oid: ObjectIdentifier) -> Extension? {
        // By index: a closure would copy each extension.
        for index in extensions.indices where extensions[index].oid == oid { return extensions[index] }
        return nil
    }

    /// Copies the certificate: the copy does not retain a larger input.
    func copied() throws(DecodeError) -> Certificate {
        try Certificate(der: Array(der)[...])
    }

    package static func == (left: Certificate, right: Certificate) -> Bool {
        left.fields === right.fields || left.der.isByteEqual(to: right.der)
    }

    package func hash(into hasher: inout Hasher) {
        unsafe der.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

/// The decoded fields of a certificate.
private final class CertificateFields: Sendable {
    let der: ArraySlice<UInt8>
    let tbsBytes: ArraySlice<UInt8>
    let version: Int
    let serialNumber: ArraySlice<UInt8>
    let issuer: DistinguishedName
    let subject: DistinguishedName
    let notBefore: Date
    let notAfter: Date
    let subjectPublicKeyInfo: ArraySlice<UInt8>
    let signatureAlgorithm: Certificate.SignatureAlgorithm
    let signature: ArraySlice<UInt8>
    let extensions: [Certificate.Extension]
    let basicConstraints: Certificate.BasicConstraints?
    let keyUsage: Certificate.KeyUsage?
    let authorityKeyIdentifier: Certificate.AuthorityKeyIdentifier?
    let subjectKeyIdentifier: ArraySlice<UInt8>?

    init(der: ArraySlice<UInt8>, _ profile: Certificate.Profile) throws(DecodeError) {
        guard der.count <= InputLimits.certificate else {
            throw DecodeError(
                .tooLarge, at: der.startIndex,
                "a certificate has at most \(InputLimits.certificate) bytes, found \(der.count)")
        }
        self.der = der
        let bytes = der.span
        var outer = try DERScanner(der).only(.sequence, in: bytes)
        let tbsElement = try outer.read(.sequence, in: bytes)
        let outerAlgorithm = try outer.read(.sequence, in: bytes)
        let signatureBits = try outer.readContents(.bitString, in: bytes)
        let (unusedBits, signatureBytes) = try signatureBits.bitString(in: bytes)
        guard unusedBits == 0 else {
            throw DecodeError(
                .unexpectedValue, at: signatureBits.offset, "expected whole bytes, found \(unusedBits) unused bits")
        }
        signature = der[signatureBytes.indices]
        try outer.finish()

        tbsBytes = der[tbsElement.indices]
        var tbs = tbsElement.contents
        version = try CertificateFields.readVersion(&tbs, bytes)
        serialNumber = der[try CertificateFields.readSerialNumber(&tbs, bytes)]
        let innerAlgorithm = try tbs.read(.sequence, in: bytes)
        guard der[innerAlgorithm.indices].isByteEqual(to: der[outerAlgorithm.indices]) else {
            // RFC 5280 section 4.1.1.2. The signature does not cover the outer algorithm.
            throw DecodeError(
                .unexpectedValue, at: outerAlgorithm.offset, field: "signatureAlgorithm",
                "differs from the one in tbsCertificate")
        }
        signatureAlgorithm = try Certificate.SignatureAlgorithm(
            innerAlgorithm, of: der, allowsNull: profile == .keystore)
        issuer = try DistinguishedName(tbs.read(.sequence, in: bytes), of: der)
        guard !issuer.isEmpty else {
            throw DecodeError(.missing, at: issuer.bytes.startIndex, field: "issuer", "an issuer has a name")
        }
        var validity = try tbs.readContents(.sequence, in: bytes)
        let start = try validity.read(in: bytes)
        notBefore = try start.contents.time(start.tag, in: bytes, at: start.offset)
        let last = try validity.read(in: bytes)
        notAfter = try last.contents.time(last.tag, in: bytes, at: last.offset)
        try validity.finish()
        subject = try DistinguishedName(tbs.read(.sequence, in: bytes), of: der)
        subjectPublicKeyInfo = try CertificateFields.readSubjectPublicKeyInfo(&tbs, of: der)
        try CertificateFields.skipUniqueIdentifiers(&tbs, bytes, version: version)
        extensions = try Certificate.Extension.readAll(&tbs, of: der, version: version, profile)
        try tbs.finish()

        var known = Certificate.KnownExtensions()
        if profile == .internet {
            for found in extensions { try known.read(found, hasEmptySubject: subject.isEmpty) }
        }
        basicConstraints = known.basicConstraints
        keyUsage = known.keyUsage
        authorityKeyIdentifier = known.authorityKeyIdentifier
        subjectKeyIdentifier = known.subjectKeyIdentifier
    }

    private static func readVersion(_ tbs: inout DERScanner, _ bytes: Span<UInt8>) throws(DecodeError) -> Int {
        guard let wrapper = try tbs.readIfPresent(.context(0), in: bytes) else { return 1 }
        var reader = wrapper.contents
        let element = try reader.read(.integer, in: bytes)
        try reader.finish()
        switch try element.contents.integer(in: bytes) {
        case 1: return 2
        case 2: return 3
        case let value:
            throw DecodeError(
                value == 0 ? .notMinimal : .unexpectedValue, at: element.offset, field: "version",
                value == 0 ? "version 1 is the default and must be absent" : "there is no version with value \(value)")
        }
    }

    private static func readSerialNumber(
        _ tbs: inout DERScanner, _ bytes: Span<UInt8>
    ) throws(DecodeError) -> Range<Int> {
        let number = try tbs.readContents(.integer, in: bytes)
        try number.requireMinimalInteger(in: bytes)
        // RFC 5280 section 4.1.2.2: positive, at most 20 octets.
        let first = bytes[number.position]
        guard first & 0x80 == 0, number.count > 1 || first != 0, number.count <= 20 else {
            throw DecodeError(
                .unexpectedValue, at: number.offset, field: "serialNumber",
                "a serial number is positive and has at most 20 bytes")
        }
        return number.indices
    }

    private static func readSubjectPublicKeyInfo(
        _ tbs: inout DERScanner, of der: ArraySlice<UInt8>
    ) throws(DecodeError) -> ArraySlice<UInt8> {
        let bytes = der.span
        let element = try tbs.read(.sequence, in: bytes)
        var reader = element.contents
        var algorithm = try reader.readContents(.sequence, in: bytes)
        try algorithm.readContents(.objectIdentifier, in: bytes).requireObjectIdentifier(in: bytes)
        let hasParameters = !algorithm.isAtEnd
        if hasParameters { _ = try algorithm.read(in: bytes) }
        try algorithm.finish()
        _ = try reader.readContents(.bitString, in: bytes).bitString(in: bytes)
        try reader.finish()
        let info = der[element.indices]
        return hasParameters ? info : RSAKeyRules.canonical(info)
    }

    /// Parses and ignores the unique identifiers (RFC 5280 section 4.1.2.8).
    private static func skipUniqueIdentifiers(
        _ tbs: inout DERScanner, _ bytes: Span<UInt8>, version: Int
    ) throws(DecodeError) {
        for number: UInt32 in [1, 2] {
            guard let found = try tbs.readIfPresent(.context(number, constructed: false), in: bytes) else { continue }
            guard version >= 2, !found.contents.isAtEnd, bytes[found.contents.position] <= 7 else {
                throw DecodeError(.unexpected, at: found.offset, "not a unique identifier, or not allowed")
            }
        }
    }
}
