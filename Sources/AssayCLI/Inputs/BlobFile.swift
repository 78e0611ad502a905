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
        do throws(DecodeError) {
            self = try BlobFile(base64: file)
        } catch {
            self.init(bytes: file, encoding: .raw)
        }
    }

    private init(bytes: [UInt8], encoding: Encoding) {
        self.bytes = bytes
        self.encoding = encoding
    }

    /// Reads base64 of either alphabet, with padding or without, and broken into lines or not.
    ///
    /// - Throws: ``DecodeError`` at the byte that is in the way.
    init(base64 file: [UInt8]) throws(DecodeError) {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
        var text = file.filter { !isSpace($0) }
        guard !text.isEmpty else { throw DecodeError(.truncated, at: file.count, "there is nothing") }
        let isURL = text.contains(UInt8(ascii: "-")) || text.contains(UInt8(ascii: "_"))
        let isPadded = text.last == UInt8(ascii: "=")
        let unpadded = text.count - text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        // Base64url has no padding and base64 must have it, but people's tools mix that up.
        if text.count - unpadded <= 2 { text = Array(text[..<unpadded]) }
        let missing = (4 - text.count % 4) % 4
        // No padding makes up for three: one character alone is no byte.
        if !isURL, missing < 3 { text += [UInt8](repeating: UInt8(ascii: "="), count: missing) }
        do throws(DecodeError) {
            bytes = try Base64.decode(text[...], isURL ? .url : .standard)
        } catch {
            let place = file.indices.filter { !isSpace(file[$0]) }.dropFirst(error.offset).first
            throw DecodeError(error.reason, at: place ?? file.count, error.message)
        }
        encoding = isURL || (!isPadded && text.last == UInt8(ascii: "=")) ? .base64url : .base64
    }

    /// What standard error says of it.
    var sentence: String { "read as \(encoding.rawValue), \(bytes.count) bytes" }
}
