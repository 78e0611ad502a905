package import AssayCore
package import AssayPrimitives
import PlayIntegrity

/// The response keys of an app in the Play Console's download: text, RSA-encrypted for the app owner's key. Each key is
/// a line `name=value`; surrounding white space and quotes are ignored.
package struct PlayConsoleDownload: Sendable {
    /// The parts of the key, for ``PlayIntegrityKeys``.
    package let parts: [String: SecretBytes]
    /// Notes for users on ignored parts of the download, without secrets.
    package let notes: [String]

    /// The names of the lines and of the corresponding parts.
    private static let names = [
        ("DECRYPTION_KEY", PlayIntegrityKeys.decryptionPart), ("VERIFICATION_KEY", PlayIntegrityKeys.verificationPart),
    ]

    /// Opens a download, bytes or base64, with the private half of the key that the console encrypted for: OAEP with SHA-1. No error
    /// contains decrypted text.
    package init(encrypted: [UInt8], privateKey: RSAPrivateKey) throws(KeyError) {
        let length = privateKey.publicKey.modulusLength
        var ciphertext = encrypted
        if encrypted.count != length {
            guard let decoded = PlayConsoleDownload.base64(encrypted), decoded.count == length else {
                throw KeyError(
                    "wrong-length", part: "",
                    "found \(encrypted.count) bytes; what is encrypted for an RSA key of \(length * 8) bits has "
                        + "\(length), or is their base64. Is it the file that the console has handed out, "
                        + "and this the private key that belongs to it?")
            }
            ciphertext = decoded
        }
        guard let text = privateKey.decryptOAEP(ciphertext) else {
            throw KeyError(
                "wrong-private-key", part: "",
                "it does not open with this private key; it was encrypted for another one, or was changed")
        }
        try self.init(text: text)
    }

    package init(text: SecretBytes) throws(KeyError) {
        var parts: [String: SecretBytes] = [:]
        var notes: [String] = []
        unsafe try text.withUnsafeBytes { (bytes) throws(KeyError) in
            let lines = unsafe bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0).split(
                omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A })
            for index in unsafe lines.indices {
                let line = unsafe PlayConsoleDownload.trimmed(lines[index])
                if unsafe line.isEmpty { continue }
                guard let (name, value) = unsafe PlayConsoleDownload.assignment(line) else {
                    throw KeyError(
                        "strange-line", part: "",
                        "line \(index + 1) of what was encrypted is not NAME=VALUE; expected DECRYPTION_KEY=... and "
                            + "VERIFICATION_KEY=...")
                }
                guard let part = PlayConsoleDownload.names.first(where: { $0.0.isByteEqual(to: name) })?.1 else {
                    notes.append("line \(index + 1), \(name.excerpt), is neither of the two keys and is passed over")
                    continue
                }
                guard unsafe parts.updateValue(SecretBytes(value), forKey: part) == nil else {
                    throw KeyError("duplicate", part: "", "\(name) stands twice in what was encrypted")
                }
            }
        }
        for (name, part) in PlayConsoleDownload.names where parts[part] == nil {
            throw KeyError(
                "missing-part", part: "", "what was encrypted has no line \(name)=...; is it a file with response keys?"
            )
        }
        self.parts = parts
        self.notes = notes
    }

    private typealias Text = Slice<UnsafeRawBufferPointer>

    /// Name and value of a line. A name has only letters, digits and `_`: other text may be part of a secret.
    private static func assignment(_ line: Text) -> (name: String, value: Text)? {
        guard let index = unsafe line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = unsafe trimmed(line[..<index])
        let isName = unsafe name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isName, unsafe !name.isEmpty, unsafe name.count <= 32 else { return nil }
        return unsafe (String(decoding: name, as: UTF8.self), trimmed(line[(index + 1)...]))
    }

    /// The text without surrounding white space and quotes.
    private static func trimmed(_ text: Text) -> Text {
        func isAround(_ byte: UInt8) -> Bool {
            byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0x22 || byte == 0x27
        }
        let rest = unsafe text.drop(while: isAround)
        return unsafe rest[..<((rest.lastIndex { !isAround($0) } ?? rest.startIndex - 1) + 1)]
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8]? {
        let text = bytes.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        return try? Base64.decode(text[...], .standard)
    }
}
