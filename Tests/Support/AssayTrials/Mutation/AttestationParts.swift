import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting

/// The byte ranges of the parts of an attestation object, and functions to replace parts.
struct AttestationParts: Sendable {
    private(set) var certificates: [Range<Int>] = []
    private(set) var receipt: Range<Int>?
    private(set) var authenticatorData: Range<Int>?
    /// The entries, keys included, that Apple's documentation does not name.
    private(set) var others: [Range<Int>] = []
    let bytes: [UInt8]

    /// Reads an attestation's record; nil for other records.
    init?(_ record: EvidenceRecord) {
        guard record.kind == EvidenceKind.appAttestAttestation,
            case .text(let text)? = record.evidence["attestation"]?.content,
            let bytes = try? Base64.decode(text, .standard)
        else { return nil }
        self.init(bytes)
    }

    /// Nil for bytes that are not an attestation object.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        do { try read() } catch { return nil }
    }

    private mutating func read() throws {
        var parts = self
        var reader = CBORReader(bytes)
        try reader.readMap { (key, reader) throws(DecodeError) in
            switch key {
            case "fmt": try reader.skipItem()
            case "authData": parts.authenticatorData = try reader.readByteString().indices
            case "attStmt":
                try reader.readMap { (key, reader) throws(DecodeError) in
                    switch key {
                    case "receipt": parts.receipt = try reader.readByteString().indices
                    case "x5c":
                        try reader.readArray { (_, reader) throws(DecodeError) in
                            parts.certificates.append(try reader.readByteString().indices)
                        }
                    default: try parts.skip(&reader)
                    }
                }
            default: try parts.skip(&reader)
            }
        }
        try reader.finish()
        self = parts
    }

    private mutating func skip(_ reader: inout CBORReader) throws(DecodeError) {
        let start = reader.offset
        try reader.skipItem()
        others.append(start..<reader.offset)
    }

    /// Replaces the contents of a byte string in the object and leaves the other parts unchanged.
    static func replacing(_ range: Range<Int>, of bytes: [UInt8], with part: [UInt8]) -> [UInt8] {
        let oldHead = CBORItem.bytes(Array(bytes[range])).encoded.count - range.count
        return Array(bytes[..<(range.lowerBound - oldHead)]) + CBORItem.bytes(part).encoded
            + Array(bytes[range.upperBound...])
    }
}
