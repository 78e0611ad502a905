import AssayPrimitives

/// One raw blob from a file: binary, or base64 of it.
struct BlobFile {
    enum Encoding: String {
        case raw = "raw bytes"
        case base64
        case base64url
    }

    /// The most bytes of a file: four times the largest blob, for base64 and white space.
    static let limit = 4 * InputLimits.attestationObject

    let bytes: [UInt8]
    /// The detected encoding.
    let encoding: Encoding

    /// Detects the encoding. Base64 may use either alphabet, with or without padding and line breaks.
    ///
    /// Attestations, assertions and receipts begin with a byte outside the base64 alphabets: detection is unambiguous.
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

    /// Decodes base64 of either alphabet, with or without padding and line breaks.
    ///
    /// - Throws: ``DecodeError`` at the first invalid byte.
    init(base64 file: [UInt8]) throws(DecodeError) {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
        var text = file.filter { !isSpace($0) }
        guard !text.isEmpty else { throw DecodeError(.truncated, at: file.count, "there is nothing") }
        let isURL = text.contains(UInt8(ascii: "-")) || text.contains(UInt8(ascii: "_"))
        let isPadded = text.last == UInt8(ascii: "=")
        let unpadded = text.count - text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        // Accept both alphabets with and without padding: common tools mix them.
        if text.count - unpadded <= 2 { text = Array(text[..<unpadded]) }
        let missing = (4 - text.count % 4) % 4
        // A remainder of one character encodes no byte: leave it invalid.
        if !isURL, missing < 3 { text += [UInt8](repeating: UInt8(ascii: "="), count: missing) }
        do throws(DecodeError) {
            bytes = try Base64.decode(text[...], isURL ? .url : .standard)
        } catch {
            let place = file.indices.filter { !isSpace(file[$0]) }.dropFirst(error.offset).first
            throw DecodeError(error.reason, at: place ?? file.count, error.message)
        }
        encoding = isURL || (!isPadded && text.last == UInt8(ascii: "=")) ? .base64url : .base64
    }

    /// The note for standard error.
    var sentence: String { "read as \(encoding.rawValue), \(bytes.count) bytes" }
}
