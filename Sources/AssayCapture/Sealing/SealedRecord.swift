import Assay
package import AssayCore
import AssayPrimitives

/// A record with encrypted evidence.
///
/// The field `sealed` replaces `evidence`: base64 of the encapsulated key and the ciphertext (RFC 9180, see
/// ``CaptureSuite``) of the evidence as JSON. The other fields stay readable; as JSON in their order, without white
/// space, they are the associated data.
package struct SealedRecord {
    /// The readable fields; the evidence is empty.
    package let header: EvidenceRecord
    private let sealed: [UInt8]

    /// Seals the evidence of a record.
    package init(_ record: EvidenceRecord, for key: CapturePublicKey) throws(CaptureError) {
        header = record.with(RecordObject([]))
        var evidence: [UInt8] = []
        RecordJSON.append(.object(record.evidence), to: &evidence)
        defer { SecretBytes.wipe(&evidence) }
        sealed = try key.seal(evidence, authenticating: SealedRecord.associatedData(header))
    }

    /// Reads a sealed record; nil for a value without a field `sealed`.
    package init?(_ value: RecordValue) throws(RecordError) {
        guard case .object(let object) = value.content, let field = object["sealed"] else { return nil }
        guard object["evidence"] == nil else {
            throw RecordError(field: "sealed", offset: field.offset, "evidence and sealed exclude each other")
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
        let empty = RecordValue(.object(RecordObject([], offset: field.offset)), offset: field.offset)
        let members = object.members.map { member in
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
        RecordJSON.append(.object(header.document(with: ("sealed", payload))), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decrypts the record.
    package func open(with key: CapturePrivateKey) throws(CaptureError) -> EvidenceRecord {
        guard let evidence = key.open(sealed[...], authenticating: SealedRecord.associatedData(header)) else {
            throw CaptureError(
                .sealed, "the record is sealed for another key than this one, or was changed since it was sealed")
        }
        do {
            return header.with(try JSONReader.readObject(evidence, limit: InputLimits.record))
        } catch {
            throw CaptureError(.sealed, "what was sealed is no JSON object")
        }
    }

    private static func associatedData(_ header: EvidenceRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        RecordJSON.append(.object(header.document(with: nil)), to: &bytes)
        return bytes
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
    package func sealedLine(for key: CapturePublicKey) throws(CaptureError) -> String {
        try SealedRecord(self, for: key).jsonLine
    }
}
