public import AssayCore
import AssayPrimitives
public import FoundationEssentials

/// A signed HTTP request with an Approov token, minted with test keys.
public typealias MintedApproovMessage = MintedRequest

/// A signed HTTP request, minted with test keys. Change any part to simulate an attacker on the path.
public struct MintedRequest: Sendable {
    package let kind: EvidenceKind
    /// The method.
    public var method: String
    /// The target URI.
    public var targetURI: String
    /// The fields in order; those of the signature come last.
    package var fields: [HTTPMessageParts.Field]
    /// The body.
    public var body: [UInt8]
    /// The signed bytes.
    package let signatureBase: [UInt8]

    /// The request hash of the standard token that the request carries: base64url without padding of SHA-256 of the signed
    /// bytes.
    public var requestHash: String { Base64.encode(Digest.sha256(signatureBase), .url) }

    /// The fields of the request to send, in order.
    public var headers: [(name: String, value: String)] { fields.map { (name: $0.name, value: $0.value) } }

    /// The value of the first field with this name, case-insensitive; nil if absent. Setting a value replaces the first
    /// field or appends one. Setting nil removes all fields with this name.
    public subscript(field name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): fields[index] = HTTPMessageParts.Field(fields[index].name, value)
            case (nil, let value?): fields.append(HTTPMessageParts.Field(name, value))
            case (_, nil): fields.removeAll { HTTPFieldText.isName($0.name, equalTo: name) }
            }
        }
    }

    /// The evidence record.
    ///
    /// - Parameters:
    ///   - address: The client's address.
    ///   - app: The policy's app; nil to let the verifier find it.
    ///   - receivedAt: The time of receipt.
    ///   - expect: The expected verdict.
    public func record(
        id: String, address: String? = nil, app: String? = nil, receivedAt: Date,
        expect: EvidenceRecord.Expectation? = nil
    ) -> EvidenceRecord {
        record(id: id, address: address, app: app, receivedAt: receivedAt, with: [], expect: expect)
    }

    /// The evidence record with further fields of evidence.
    package func record(
        id: String, address: String? = nil, app: String? = nil, receivedAt: Date,
        with others: [(String, RecordValue.Content)], expect: EvidenceRecord.Expectation?
    ) -> EvidenceRecord {
        let pairs = fields.map { field in
            RecordValue(
                .array([RecordValue(.text(field.name), offset: 0), RecordValue(.text(field.value), offset: 0)]),
                offset: 0)
        }
        var evidence: [(String, RecordValue.Content)] = [
            ("method", .text(method)), ("targetURI", .text(targetURI)), ("headers", .array(pairs)),
        ]
        if !body.isEmpty { evidence.append(("body", .base64(body))) }
        if let address { evidence.append(("address", .text(address))) }
        return EvidenceRecord(
            id: id, kind: kind, app: app, receivedAt: receivedAt, evidence: RecordObject(evidence + others),
            expect: expect)
    }

    private func index(of name: String) -> Int? { fields.firstIndex { HTTPFieldText.isName($0.name, equalTo: name) } }
}
