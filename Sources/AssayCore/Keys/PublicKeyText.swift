package import AssayPrimitives

/// A public key as text: base64 of its SubjectPublicKeyInfo, or PEM. The input may be a secret key by mistake, so
/// errors never show it, and copies are wiped.
package struct PublicKeyText {
    private static let begin = "-----BEGIN PUBLIC KEY-----"
    private static let end = "-----END PUBLIC KEY-----"

    /// The name of this part of the key, for errors.
    let part: String
    /// The expected input, for errors.
    let expected: String
    /// A hint for errors when the input looks like the secret part of the pair; empty if there is only a public key.
    let swapHint: String

    package init(part: String, expected: String, swapHint: String = "") {
        (self.part, self.expected, self.swapHint) = (part, expected, swapHint)
    }

    /// Decodes base64 in either alphabet, or a `PUBLIC KEY` PEM block, and passes the SubjectPublicKeyInfo to `read`.
    /// Ignores white space and enclosing quotes. If `read` throws, the error describes the input.
    /// - Throws: ``KeyError``.
    package func decode<Key>(
        _ text: SecretBytes, _ read: (ArraySlice<UInt8>) throws(DecodeError) -> Key
    ) throws(KeyError) -> Key {
        var bytes = unsafe text.withUnsafeBytes { unsafe Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        // A separate function ends the slices' lifetimes first: wiping an array with other references would copy it.
        return try decode(bytes[...], read)
    }

    /// The error for a text that is not such a key.
    package func error(_ code: String, _ found: String) -> KeyError {
        KeyError(code, part: part, "expected \(expected); found \(found)")
    }

    private func decode<Key>(
        _ bytes: ArraySlice<UInt8>, _ read: (ArraySlice<UInt8>) throws(DecodeError) -> Key
    ) throws(KeyError) -> Key {
        var body = Self.unquoted(Self.trimmed(bytes))
        guard !body.isEmpty else { throw error("empty", "nothing") }
        if body.starts(with: "-----".utf8) {
            guard body.starts(with: Self.begin.utf8), body.count >= Self.begin.utf8.count + Self.end.utf8.count,
                body.suffix(Self.end.utf8.count).elementsEqual(Self.end.utf8)
            else { throw error(Self.blockCode(body), "\(Self.blockName(body))") }
            body = body.dropFirst(Self.begin.utf8.count).dropLast(Self.end.utf8.count)
        }
        guard body.allSatisfy({ (0x20...0x7E).contains($0) || Self.isSpace($0) }) else {
            throw error("not-text", "\(bytes.count) bytes that are no text")
        }
        guard body.first != UInt8(ascii: "{") else {
            throw error("json", "JSON, as of a JSON Web Key or a set of them")
        }
        // Tools wrap base64 after 64 or 76 characters.
        var characters = body.filter { !Self.isSpace($0) }
        defer { SecretBytes.wipe(&characters) }
        if characters.allSatisfy({ $0.hexadecimalValue != nil }), characters.count % 2 == 0 {
            let isSecret = characters.count == 64
            throw error(
                isSecret ? "swapped" : "hexadecimal",
                "\(characters.count) hexadecimal digits" + (isSecret ? swapHint : ""))
        }
        guard var info = AnyBase64.decode(characters[...]) else {
            throw error("not-base64", "\(characters.count) characters that are no base64")
        }
        defer { SecretBytes.wipe(&info) }
        return try key(info, read)
    }

    private func key<Key>(
        _ info: [UInt8], _ read: (ArraySlice<UInt8>) throws(DecodeError) -> Key
    ) throws(KeyError) -> Key {
        do throws(DecodeError) {
            return try read(info[...])
        } catch let problem {
            switch info.count {
            case 16, 32, 64:
                throw error("swapped", "base64 of \(info.count) bytes, the length of a symmetric key\(swapHint)")
            case 65 where info.first == 0x04:
                throw error("bare-point", "base64 of 65 bytes, a point without its SubjectPublicKeyInfo")
            case _ where Self.isPrivateKey(info):
                throw error("private-key", "a private key, which belongs nowhere near here")
            default: throw error("wrong-key", "base64 of \(info.count) bytes: \(problem.message)")
            }
        }
    }

    /// PKCS#8 (RFC 5958) and SEC 1 (RFC 5915) private keys begin with a version; public keys begin with a SEQUENCE.
    private static func isPrivateKey(_ info: [UInt8]) -> Bool {
        guard info.first == 0x30, info.count > 8 else { return false }
        let header = info[1] < 0x80 ? 2 : 2 + Int(info[1] & 0x7F)
        guard header + 3 <= info.count else { return false }
        return info[header] == 0x02 && info[header + 1] == 0x01 && info[header + 2] <= 0x01
    }

    private static func blockCode(_ block: ArraySlice<UInt8>) -> String {
        blockName(block).contains("PRIVATE") ? "private-key" : "pem"
    }

    /// Describes a PEM block by its label, cut at the first character that is not a capital letter or a space.
    private static func blockName(_ block: ArraySlice<UInt8>) -> String {
        guard block.starts(with: "-----BEGIN ".utf8) else { return "a PEM block without a beginning" }
        let label = block.dropFirst(11).prefix(24).prefix { (0x41...0x5A).contains($0) || $0 == 0x20 }
        let name = String(decoding: label, as: UTF8.self)
        return name == "PUBLIC KEY" ? "a PEM block PUBLIC KEY without its end, or text after it" : "a PEM block \(name)"
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let rest = bytes.drop(while: isSpace)
        return rest[..<((rest.lastIndex { !isSpace($0) } ?? rest.startIndex - 1) + 1)]
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.count >= 2, let quote = text.first, quote == text.last, quote == 0x22 || quote == 0x27 else {
            return text
        }
        return trimmed(text.dropFirst().dropLast())
    }
}
