import AssayCore
import AssayPrimitives

/// Reads the public key with which the Play Console lets classic tokens be verified.
enum VerificationKeyText {
    private static let begin = "-----BEGIN PUBLIC KEY-----"
    private static let end = "-----END PUBLIC KEY-----"

    /// A P-256 key from base64 of its SubjectPublicKeyInfo, in either alphabet, or from its PEM.
    ///
    /// - Throws: ``KeyError``. What stands where the public key belongs may be a secret one, so that nothing of it is shown.
    static func decode(_ text: SecretBytes, part: String) throws(KeyError) -> ECDSAPublicKey {
        var bytes = text.withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        // Slices end with the function that takes them, so that nothing shares what is wiped.
        return try read(bytes[...], part)
    }

    private static func read(_ bytes: ArraySlice<UInt8>, _ part: String) throws(KeyError) -> ECDSAPublicKey {
        func error(_ code: String, _ found: String) -> KeyError {
            KeyError(
                code, part: part,
                "expected the base64 of a P-256 SubjectPublicKeyInfo (124 characters), or a PEM block PUBLIC KEY; "
                    + "found \(found)")
        }
        var body = unquoted(trimmed(bytes))
        guard !body.isEmpty else { throw error("empty", "nothing") }
        if body.starts(with: "-----".utf8) {
            guard body.starts(with: begin.utf8), body.count >= begin.utf8.count + end.utf8.count,
                body.suffix(end.utf8.count).elementsEqual(end.utf8)
            else { throw error(blockCode(body), "\(blockName(body))") }
            body = body.dropFirst(begin.utf8.count).dropLast(end.utf8.count)
        }
        guard body.allSatisfy({ (0x20...0x7E).contains($0) || isSpace($0) }) else {
            throw error("not-text", "\(bytes.count) bytes that are no text")
        }
        // Tools wrap base64 after 64 or 76 characters.
        var characters = body.filter { !isSpace($0) }
        defer { SecretBytes.wipe(&characters) }
        if characters.allSatisfy({ $0.hexadecimalValue != nil }), characters.count % 2 == 0 {
            let isSecret = characters.count == 64
            throw error(
                isSecret ? "swapped" : "hexadecimal",
                "\(characters.count) hexadecimal digits" + (isSecret ? "; are the two keys swapped?" : ""))
        }
        guard var info = AnyBase64.decode(characters[...]) else {
            throw error("not-base64", "\(characters.count) characters that are no base64")
        }
        defer { SecretBytes.wipe(&info) }
        return try key(info, error)
    }

    private static func key(
        _ info: [UInt8], _ error: (String, String) -> KeyError
    ) throws(KeyError) -> ECDSAPublicKey {
        let key: ECDSAPublicKey
        do {
            key = try ECDSAPublicKey(subjectPublicKeyInfo: info[...])
        } catch let problem {
            switch info.count {
            case 16, 32:
                throw error("swapped", "base64 of \(info.count) bytes, the length of an AES key; are the two swapped?")
            case 65 where info.first == 0x04:
                throw error("bare-point", "base64 of 65 bytes, a point without its SubjectPublicKeyInfo")
            case _ where isPrivateKey(info):
                throw error("private-key", "a private key, which belongs nowhere near here")
            default: throw error("wrong-key", "base64 of \(info.count) bytes: \(problem.message)")
            }
        }
        guard key.curve == .p256 else { throw error("wrong-curve", "a key of another curve, \(key.curve)") }
        return key
    }

    /// PKCS#8 (RFC 5958) and SEC 1 (RFC 5915) private keys begin with a version, public ones with a sequence.
    private static func isPrivateKey(_ info: [UInt8]) -> Bool {
        guard info.first == 0x30, info.count > 8 else { return false }
        let header = info[1] < 0x80 ? 2 : 2 + Int(info[1] & 0x7F)
        guard header + 3 <= info.count else { return false }
        return info[header] == 0x02 && info[header + 1] == 0x01 && info[header + 2] <= 0x01
    }

    private static func blockCode(_ block: ArraySlice<UInt8>) -> String {
        blockName(block).contains("PRIVATE") ? "private-key" : "pem"
    }

    /// The label of a PEM block as far as it is made of capital letters and spaces.
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
