import ArgumentParser
import AssayPrimitives

/// Bytes on the command line: a value with the prefix `text:`, `hex:`, `base64:` or `file:`, or without a prefix.
enum ValueArgument: Equatable {
    /// The encoding of a value without a prefix.
    enum Plain {
        /// UTF-8.
        case text
        /// Base64 of either alphabet, with padding or without.
        case base64
    }

    /// Decoded bytes.
    case bytes([UInt8])
    case file(path: String, Plain)

    /// The help text for all such options.
    static let help = "text:, hex:, base64: or file: may stand before VALUE"

    /// Parses a value. Throws `ValidationError` for text that does not decode.
    init(_ text: String, plain: Plain) throws {
        let prefixes: [(String, (String) throws -> ValueArgument)] = [
            ("text:", { .bytes(Array($0.utf8)) }),
            ("hex:", { .bytes(try ValueArgument.hex($0)) }),
            ("base64:", { .bytes(try ValueArgument.base64($0)) }),
            ("file:", { .file(path: $0, plain) }),
        ]
        for (prefix, read) in prefixes where text.hasPrefix(prefix) {
            self = try read(String(text.dropFirst(prefix.count)))
            return
        }
        switch plain {
        case .text: self = .bytes(Array(text.utf8))
        case .base64: self = .bytes(try ValueArgument.base64(text))
        }
    }

    /// The bytes. Reads a file, and decodes it if it may be and is base64.
    func resolve() throws(CommandFailure) -> [UInt8] {
        switch self {
        case .bytes(let bytes): return bytes
        case .file(let path, .text): return try InputFile.read(path, limit: InputLimits.clientData)
        case .file(let path, .base64):
            let blob = BlobFile(try InputFile.read(path, limit: BlobFile.limit))
            Console.note("\(InputFile.name(path)): \(blob.sentence)")
            return blob.bytes
        }
    }

    /// The value as text, without a line ending at the end of a file.
    func resolveText(of option: String) throws(CommandFailure) -> String {
        var bytes = try resolve()[...]
        if case .file = self { while let last = bytes.last, last == 0x0A || last == 0x0D { bytes = bytes.dropLast() } }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.unreadable, "\(option): the value is no UTF-8")
        }
        return text
    }

    /// Decodes base64 of either alphabet, with or without padding.
    static func base64(_ text: String) throws -> [UInt8] {
        do throws(DecodeError) {
            return try BlobFile(base64: Array(text.utf8)).bytes
        } catch {
            throw ValidationError(
                "expected base64 or base64url, found \"\(text.prefix(60))\": \(error); \(help)")
        }
    }

    /// Decodes pairs of hexadecimal digits.
    static func hex(_ text: String) throws -> [UInt8] {
        let values = text.utf8.compactMap(\.hexadecimalValue)
        guard values.count == text.utf8.count, values.count % 2 == 0, !values.isEmpty else {
            throw ValidationError("expected pairs of hexadecimal digits, found \"\(text.prefix(60))\"")
        }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
