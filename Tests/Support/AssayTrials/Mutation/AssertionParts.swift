import AppAttest
import Assay
import AssayCore
import AssayPrimitives

/// The byte ranges of the parts of an assertion.
struct AssertionParts: Sendable {
    let bytes: [UInt8]
    private(set) var signature: Range<Int> = 0..<0
    private(set) var authenticatorData: Range<Int> = 0..<0

    /// Reads the record of an assertion, or of a request with one; nil for other records.
    init?(_ record: EvidenceRecord) {
        let text: String
        switch record.kind {
        case .appAttestAssertion:
            guard case .text(let field)? = record.evidence["assertion"]?.content else { return nil }
            text = field
        case .appAttestRequest:
            guard let line = HeaderLine.all(of: record).first(where: { $0.isNamed("Signature") }),
                let value = line.value.firstMatch(of: #/assay=:([^:]*):/#)
            else { return nil }
            text = String(value.1)
        default: return nil
        }
        guard let bytes = try? Base64.decode(text, .standard) else { return nil }
        self.bytes = bytes
        var parts: [String: Range<Int>] = [:]
        do {
            var reader = CBORReader(bytes)
            try reader.readMap { (key, reader) throws(DecodeError) in
                switch key {
                case "signature": parts["signature"] = try reader.readByteString().indices
                case "authenticatorData": parts["authenticatorData"] = try reader.readByteString().indices
                default: try reader.skipItem()
                }
            }
        } catch { return nil }
        guard let signature = parts["signature"], let data = parts["authenticatorData"], data.count >= 37 else {
            return nil
        }
        (self.signature, authenticatorData) = (signature, data)
    }

    /// The counter: the four bytes after the hash of the App ID and the flags (WebAuthn section 6.1).
    var counter: UInt32 {
        bytes[authenticatorData].dropFirst(33).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
