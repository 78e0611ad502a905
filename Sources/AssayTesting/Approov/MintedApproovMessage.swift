public import AssayCore
package import AssayHTTPSignatures
import AssayPrimitives
public import FoundationEssentials

/// A signed HTTP request that was minted with test keys. Every part can be changed, as by somebody on the way.
public struct MintedApproovMessage: Sendable {
    /// The method.
    public var method: String
    /// The target URI.
    public var targetURI: String
    /// The fields in their order, those of the signature last.
    package var fields: [HTTPMessageParts.Field]
    /// The body.
    public var body: [UInt8]
    /// What was signed.
    package let signatureBase: [UInt8]

    /// The fields of the request to send, in their order.
    public var headers: [(name: String, value: String)] { fields.map { (name: $0.name, value: $0.value) } }

    /// The value of the first field of a name, in any case; nil when there is none.
    ///
    /// Setting a value replaces the first one or appends one, and setting nil removes all.
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
    ///   - address: Where the request comes from.
    ///   - app: The policy's app, and nil to have it found.
    ///   - receivedAt: When the server got it.
    ///   - expect: What the record's verdict has to be.
    public func record(
        id: String, address: String? = nil, app: String? = nil, receivedAt: Date,
        expect: EvidenceRecord.Expectation? = nil
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
            id: id, kind: EvidenceKind("approov.message"), app: app, receivedAt: receivedAt,
            evidence: RecordObject(evidence), expect: expect)
    }

    private func index(of name: String) -> Int? { fields.firstIndex { HTTPFieldText.isName($0.name, equalTo: name) } }
}
