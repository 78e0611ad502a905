public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// A text that is signed with the account's message signing key, as `getMessageSignature` of Approov's SDKs signs it. The
/// initial values are genuine if the text contains the token. A change of the text without ``sign(with:)`` is a forgery.
public struct ApproovTextBlueprint: Sendable {
    /// The token that comes with the text.
    public var token: String
    /// The text.
    public var text: String
    /// The signature: base64 of HMAC-SHA-256.
    public var signature: String

    /// Signs a text.
    ///
    /// - Parameter key: The account's message signing key, such as ``ApproovTestKeys/messageKey``.
    public init(token: String, text: String, key: [UInt8]) {
        self.token = token
        self.text = text
        signature = Self.signature(of: text, key)
    }

    /// Signs the text again.
    public mutating func sign(with key: [UInt8]) { signature = Self.signature(of: text, key) }

    private static func signature(of text: String, _ key: [UInt8]) -> String {
        Base64.encode(HMAC.sha256(key: key, Array(text.utf8)), .standard)
    }

    /// The evidence record. Parameters as for ``MintedApproovToken/record(id:binding:address:app:receivedAt:expect:)``.
    public func record(
        id: String, binding: [String] = [], address: String? = nil, app: String? = nil, receivedAt: Date,
        expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        var evidence: [(String, RecordValue.Content)] = [
            ("token", .text(token)), ("text", .text(text)), ("signature", .text(signature)),
        ]
        if !binding.isEmpty {
            evidence.append(("binding", .array(binding.map { RecordValue(.text($0), offset: 0) })))
        }
        if let address { evidence.append(("address", .text(address))) }
        return EvidenceRecord(
            id: id, kind: EvidenceKind("approov.text"), app: app, receivedAt: receivedAt,
            evidence: RecordObject(evidence), expect: expect)
    }
}
