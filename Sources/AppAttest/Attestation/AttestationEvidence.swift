public import AssayCore

extension CheckID {
    /// The attestation object has the only allowed form.
    public static let appAttestAttestationDecode = CheckID("app-attest.attestation.decode")
}

extension AttestationCheck {
    static let decodeEntry = CheckDefinition(
        .appAttestAttestationDecode, .gate,
        proves: """
            The attestation is one CBOR map in strict form with format apple-appattest, two well-formed certificates, \
            and authenticator data whose parts fill it exactly.
            """,
        stops: """
            Input that two parsers read differently: duplicate keys, trailing bytes, overlong lengths, a part that \
            hides behind another.
            """,
        lookAt: """
            The byte that the detail names. The usual cause is a truncated or doubly encoded transport; the next is \
            an assertion sent as an attestation.
            """,
        source: "\(apple), and Web Authentication Level 2, sections 6.1 and 6.5.1",
        remedy: .nothing, codes: CheckCode.ofDecoding)
}

/// A decoded attestation object, not yet trusted: a CBOR map with `fmt` = "apple-appattest", `attStmt` {`x5c`: [leaf, intermediate],
/// `receipt`}, `authData` (Web Authentication Level 2 section 6.5.4). Nothing signs the top-level map: unknown keys there are ignored.
package struct AttestationEvidence: Sendable {
    package let leaf: Certificate
    /// The certificate of the authority that issued the leaf.
    let intermediate: Certificate
    package let receipt: ArraySlice<UInt8>?
    package let authenticatorDataBytes: ArraySlice<UInt8>
    let authenticatorData: AuthenticatorData
    package let credential: AttestedCredential

    /// Decodes an attestation object, which must fill `bytes`. `authorities` caches verified authority certificates.
    package init(_ bytes: [UInt8], authorities: CertificatePathValidator) throws(DecodeError) {
        guard bytes.count <= InputLimits.attestationObject else {
            throw DecodeError(
                .tooLarge, at: 0, "\(bytes.count) bytes, at most \(InputLimits.attestationObject) are allowed")
        }
        var format: String?
        var statement: AttestationStatement?
        var authData: ArraySlice<UInt8>?
        var reader = CBORReader(bytes)
        try reader.readMap { (key, reader) throws(DecodeError) in
            switch key {
            case "fmt": format = try Self.part("fmt") { () throws(DecodeError) in try reader.readText() }
            case "attStmt":
                statement = try Self.part("attStmt") { () throws(DecodeError) in
                    try AttestationStatement(&reader, authorities)
                }
            case "authData":
                authData = try Self.part("authData") { () throws(DecodeError) in try reader.readByteString() }
            default: try reader.skipUnknown(key)
            }
        }
        try reader.finish()
        guard let format else { throw DecodeError(.missing, at: 0, field: "fmt", "the key is missing") }
        // By bytes: `==` would also accept canonically equivalent strings, and hostile input can make it slow.
        guard format.utf8.elementsEqual("apple-appattest".utf8) else {
            throw DecodeError(
                .unexpectedValue, at: 0, field: "fmt",
                "expected apple-appattest, found \"\(format.excerpt)\"")
        }
        guard let statement else { throw DecodeError(.missing, at: 0, field: "attStmt", "the key is missing") }
        guard let authData else { throw DecodeError(.missing, at: 0, field: "authData", "the key is missing") }
        (leaf, intermediate, receipt) = (statement.leaf, statement.intermediate, statement.receipt)
        authenticatorDataBytes = authData
        let data = try Self.part("authData") { () throws(DecodeError) in try AuthenticatorData(attestation: authData) }
        guard let credential = data.credential else {
            throw DecodeError(.missing, at: authData.startIndex, field: "authData", "no attested credential data")
        }
        authenticatorData = data
        self.credential = credential
    }

    fileprivate static func part<Value>(
        _ field: String, _ body: () throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value {
        do { return try body() } catch { throw error.within(field) }
    }
}

/// The attestation statement: the key `x5c`, optionally `receipt`, and no other.
private struct AttestationStatement {
    let leaf: Certificate
    let intermediate: Certificate
    let receipt: ArraySlice<UInt8>?

    init(_ reader: inout CBORReader, _ authorities: CertificatePathValidator) throws(DecodeError) {
        var chain: [ArraySlice<UInt8>]?
        var receipt: ArraySlice<UInt8>?
        let start = reader.offset
        try reader.readMap { (key, reader) throws(DecodeError) in
            let offset = reader.offset
            switch key {
            case "x5c":
                chain = try AttestationEvidence.part("x5c") { () throws(DecodeError) in
                    let count = try reader.readArrayHeader()
                    guard count == 2 else {
                        throw DecodeError(
                            .unexpectedLength, at: offset,
                            "expected 2 certificates, leaf and intermediate, found \(count)")
                    }
                    return [try reader.readByteString(), try reader.readByteString()]
                }
            case "receipt":
                receipt = try AttestationEvidence.part("receipt") { () throws(DecodeError) in
                    try reader.readByteString()
                }
            default:
                // Nothing signs the statement: with unknown keys, two verifiers could interpret it differently.
                throw DecodeError(.unexpected, at: offset, "allowed keys are x5c and receipt, found another")
            }
        }
        guard let chain else { throw DecodeError(.missing, at: start, field: "x5c", "the key is missing") }
        leaf = try AttestationEvidence.part("x5c[0]") { () throws(DecodeError) in try Certificate(der: chain[0]) }
        intermediate = try AttestationEvidence.part("x5c[1]") { () throws(DecodeError) in
            try authorities.certificate(der: chain[1])
        }
        self.receipt = receipt
    }
}
