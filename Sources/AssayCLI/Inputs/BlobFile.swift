import AssayCore
import AssayPrimitives

/// One raw blob as a person has it: bytes, or those bytes in base64.
struct BlobFile {
    /// How the bytes were written.
    enum Encoding: String {
        case raw = "raw bytes"
        case base64
        case base64url
    }

    /// How much a blob may take up in its file: four times the largest one, for base64 and white space.
    static let limit = 4 * InputLimits.attestationObject

    /// The blob.
    let bytes: [UInt8]
    /// How it was written.
    let encoding: Encoding

    /// Detects the encoding. Base64 may be of either alphabet, with padding or without, and broken into lines.
    ///
    /// No attestation, assertion or receipt is mistaken for text: they begin with a byte that base64 does not have.
    init(_ file: [UInt8]) {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
        var text = file.filter { !spaces.contains($0) }
        let isURL = text.contains(UInt8(ascii: "-")) || text.contains(UInt8(ascii: "_"))
        let isPadded = text.last == UInt8(ascii: "=")
        let unpadded = text.count - text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        // Base64url has no padding and base64 must have it, but people's tools mix that up.
        if text.count - unpadded <= 2 { text = Array(text[..<unpadded]) }
        if !isURL { text += [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4) }
        guard !text.isEmpty, let bytes = try? Base64.decode(text[...], isURL ? .url : .standard) else {
            self.bytes = file
            encoding = .raw
            return
        }
        self.bytes = bytes
        encoding = isURL || (!isPadded && text.last == UInt8(ascii: "=")) ? .base64url : .base64
    }

    /// What standard error says of it.
    var sentence: String { "read as \(encoding.rawValue), \(bytes.count) bytes" }
}
