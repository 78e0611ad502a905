public import AssayCore

extension CheckID {
    /// The assertion has the only allowed form.
    public static let appAttestAssertionDecode = CheckID("app-attest.assertion.decode")
}

extension AssertionCheck {
    static let decodeEntry = CheckDefinition(
        .appAttestAssertionDecode, .gate,
        proves: """
            The assertion is one CBOR map in strict form with a signature and authenticator data whose parts fill it \
            exactly.
            """,
        stops: "Input that two parsers read differently.",
        lookAt: "The byte that the detail names; whether an attestation was sent in place of an assertion.",
        source: apple,
        remedy: .nothing, codes: CheckCode.ofDecoding)
}

/// A decoded assertion, not yet trusted: a CBOR map with two byte strings (Apple, Validating apps that connect to your server). Nothing
/// signs the map itself: unknown keys are ignored.
package struct AssertionEvidence: Sendable {
    /// The ECDSA signature. Its DER is not yet validated.
    package let signature: ArraySlice<UInt8>
    package let authenticatorDataBytes: ArraySlice<UInt8>
    let authenticatorData: AuthenticatorData

    /// Decodes an assertion, which must fill `bytes`.
    package init(_ bytes: [UInt8]) throws(DecodeError) {
        guard bytes.count <= InputLimits.assertion else {
            throw DecodeError(.tooLarge, at: 0, "\(bytes.count) bytes, at most \(InputLimits.assertion) are allowed")
        }
        var signature: ArraySlice<UInt8>?
        var data: ArraySlice<UInt8>?
        var reader = CBORReader(bytes)
        try reader.readMap { (key, reader) throws(DecodeError) in
            switch key {
            case "signature": signature = try reader.readByteString()
            case "authenticatorData": data = try reader.readByteString()
            default: try reader.skipUnknown(key)
            }
        }
        try reader.finish()
        guard let signature else { throw DecodeError(.missing, at: 0, field: "signature", "the key is missing") }
        guard let data else { throw DecodeError(.missing, at: 0, field: "authenticatorData", "the key is missing") }
        self.signature = signature
        authenticatorDataBytes = data
        do {
            authenticatorData = try AuthenticatorData(assertion: data)
        } catch {
            throw error.within("authenticatorData")
        }
    }
}
