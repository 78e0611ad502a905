package import AssayCore
import AssayPrimitives

/// A record with encrypted evidence.
///
/// The field `sealed` replaces `evidence`, `account`, `deviceToken`, `deviceBits` and `property`: base64 of the encapsulated key and the
/// ciphertext (RFC 9180, see ``CaptureSuite``) of a JSON record with the kind and these fields. The other fields stay readable; as
/// JSON in their order, without white space, they are the associated data.
package struct SealedRecord {
    /// The readable fields; the others are empty.
    package let header: EvidenceRecord
    private let sealed: [UInt8]
    /// The number of records of the file that ends with this one; nil if it is not the last one, or if that is not known.
    private let endsFile: Int?

    /// Seals the evidence of a record.
    ///
    /// - Parameter count: the number of records of the file that ends with this one; nil if it is not the last one.
    package init(
        _ record: EvidenceRecord, for key: CapturePublicKey, endingFileOf count: Int? = nil
    ) throws(CaptureError) {
        endsFile = count
        var header = record.with(RecordObject([]))
        (header.account, header.deviceToken, header.deviceBits, header.property) = (nil, nil, nil, nil)
        self.header = header
        var hidden = EvidenceRecord(
            id: nil, kind: record.kind, app: nil, account: record.account, deviceToken: record.deviceToken,
            deviceBits: record.deviceBits, receivedAt: nil, evidence: record.evidence, expect: nil)
        hidden.property = record.property
        var bytes: [UInt8] = []
        RecordJSON.append(.object(hidden.document), to: &bytes)
        defer { SecretBytes.wipe(&bytes) }
        sealed = try key.seal(bytes, authenticating: SealedRecord.associatedData(header, count))
    }

    /// Reads a sealed record; nil for a value without a field `sealed`.
    package init?(_ value: RecordValue) throws(RecordError) {
        guard case .object(let object) = value.content, let field = object["sealed"] else { return nil }
        guard object["evidence"] == nil else {
            throw RecordError(field: "sealed", offset: field.offset, "evidence and sealed exclude each other")
        }
        for name in ["account", "deviceToken", "deviceBits", "property"] {
            guard let field = object[name] else { continue }
            throw RecordError(
                field: name, offset: field.offset, "\(name) of a sealed record is sealed with its evidence")
        }
        guard case .text(let text) = field.content else {
            throw RecordError(field: "sealed", offset: field.offset, "expected base64 text, found \(field.kindName)")
        }
        do {
            sealed = try Base64.decode(text, .standard)
        } catch {
            throw RecordError(
                field: "sealed", offset: field.offset, "expected standard base64 with padding: \(error.message)")
        }
        if let end = object[SealedFileEnd.field] {
            guard case .number(let digits) = end.content, let count = Int(digits), count > 0 else {
                throw RecordError(field: SealedFileEnd.field, offset: end.offset, "expected a number of records")
            }
            endsFile = count
        } else {
            endsFile = nil
        }
        let empty = RecordValue(.object(RecordObject([], offset: field.offset)), offset: field.offset)
        let members = object.members.filter { !$0.name.isByteEqual(to: SealedFileEnd.field) }.map { member in
            member.name.isByteEqual(to: "sealed")
                ? RecordObject.Member(name: "evidence", offset: member.offset, value: empty) : member
        }
        header = try EvidenceRecord(
            RecordValue(.object(RecordObject(members, offset: object.offset)), offset: value.offset))
    }

    /// The record as one JSON line, without a line feed.
    package var jsonLine: String {
        var bytes: [UInt8] = []
        let payload = RecordValue.Content.text(Base64.encode(sealed, .standard))
        let document = header.document(with: ("sealed", payload))
        let end = endsFile.map { [RecordObject.Member(SealedFileEnd.field, .number("\($0)"))] } ?? []
        RecordJSON.append(.object(RecordObject(document.members + end, offset: 0)), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decrypts the record.
    package func open(with key: CapturePrivateKey) throws(CaptureError) -> EvidenceRecord {
        guard let hidden = key.open(sealed[...], authenticating: SealedRecord.associatedData(header, endsFile)) else {
            throw CaptureError(
                .sealed, "the record is sealed for another key than this one, or was changed since it was sealed")
        }
        do {
            let hidden = try EvidenceRecord(JSONReader.read(hidden, limit: InputLimits.record))
            var record = header.with(hidden.evidence)
            (record.account, record.deviceToken) = (hidden.account, hidden.deviceToken)
            (record.deviceBits, record.property) = (hidden.deviceBits, hidden.property)
            return record
        } catch {
            throw CaptureError(.sealed, "what was sealed is no record")
        }
    }

    private static func associatedData(_ header: EvidenceRecord, _ endsFile: Int?) -> [UInt8] {
        var bytes: [UInt8] = []
        let end = endsFile.map { (SealedFileEnd.field, RecordValue.Content.number("\($0)")) }
        RecordJSON.append(.object(header.document(with: end)), to: &bytes)
        return bytes
    }
}

extension RecordObject.Member {
    fileprivate init(_ name: String, _ content: RecordValue.Content) {
        self.init(name: name, offset: 0, value: RecordValue(content, offset: 0))
    }
}

extension EvidenceRecord {
    /// The record with other evidence.
    func with(_ evidence: RecordObject) -> EvidenceRecord {
        var record = self
        record.evidence = evidence
        return record
    }

    /// The record as one JSON line, without a line feed, with its evidence sealed for a key.
    ///
    /// - Parameter count: the number of records of the file that ends with this one; nil if it is not the last one.
    package func sealedLine(
        for key: CapturePublicKey, endingFileOf count: Int? = nil
    ) throws(CaptureError) -> String {
        try SealedRecord(self, for: key, endingFileOf: count).jsonLine
    }
}
