package import AssayCore

/// A secret that apps receive at run time, or the master secret of one that is derived for each device.
package final class RuntimeSecret: KeyMaterial {
    package static let purpose = KeyPurpose("runtime-secret")
    package static let namePart = "secretName"
    package static let valuePart = "value"
    package static let modePart = "mode"
    package static let parts = [
        KeyPart(namePart, .word, isRequired: true, form: "the name that apps ask for: \(SecretName.form)"),
        KeyPart(
            valuePart, .secret, isRequired: true,
            form: "UTF-8 of 1 to \(longest) bytes without NUL; for mode derive, base64 of \(masterLength) bytes"),
        KeyPart(
            modePart, .word, isRequired: false,
            form: "text, or derive: each device has a value of its own; text without it"),
    ]
    /// The longest value in bytes.
    package static let longest = 4096
    /// The length of a master secret in bytes.
    package static let masterLength = 32

    /// What a device receives.
    package enum Mode: String, CaseIterable, Sendable {
        case text
        /// A value that is derived from the master secret for the app and the device.
        case derive
    }

    package let name: String
    /// What a device receives.
    package let mode: Mode
    private let value: SecretBytes

    /// How values are made.
    package var algorithm: String { mode == .derive ? "HKDF-SHA256" : "text" }
    package var summary: String { "\(algorithm) \(name)" }

    /// Reads a secret. A line end at the end of a text is not part of it: files end with one.
    /// - Throws: ``KeyError`` without any of the value.
    package init(parts: [String: SecretBytes]) throws(KeyError) {
        func word(_ part: String) -> String? {
            parts[part].map { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
        }
        let name = word(Self.namePart) ?? ""
        if let objection = SecretName.objection(to: name) {
            throw KeyError("invalid-name", part: Self.namePart, objection)
        }
        guard let mode = Mode(rawValue: word(Self.modePart) ?? Mode.text.rawValue) else {
            throw KeyError("unknown-mode", part: Self.modePart, "expected text or derive")
        }
        (self.name, self.mode) = (name, mode)
        value =
            switch mode {
            case .derive: try parts.secret(Self.valuePart, byteCount: Self.masterLength)
            case .text: try Self.text(parts[Self.valuePart])
            }
    }

    private static func text(_ part: SecretBytes?) throws(KeyError) -> SecretBytes {
        guard let part else { throw KeyError("missing-part", part: valuePart, "the part is missing") }
        return try part.withUnsafeBytes { (bytes) throws(KeyError) in
            var text = bytes[...]
            if text.last == UInt8(ascii: "\n") { text = text.dropLast() }
            if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
            guard (1...longest).contains(text.count) else {
                throw KeyError("wrong-length", part: valuePart, "expected 1 to \(longest) bytes, found \(text.count)")
            }
            guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else {
                throw KeyError(
                    "not-text", part: valuePart, "expected UTF-8 without NUL, found \(text.count) other bytes")
            }
            return SecretBytes(text)
        }
    }

    /// The value for a device; nil for a derived value without a device: base64url of HKDF with SHA-256 of the master secret, for the
    /// app, the name, and the key or the device that the evidence proves.
    package func value(for device: LedgerSubject?, app: String) -> SecretBytes? {
        guard mode == .derive else { return value }
        guard let device else { return nil }
        // Each text after its length, so that no two devices share a value.
        let info = [app, name, device.kind.rawValue, device.name].map { "\($0.utf8.count) \($0)" }.joined(
            separator: " ")
        let key = KeyDerivation.hkdf(
            value, salt: Array("assay runtime secret".utf8), info: Array(info.utf8), count: Self.masterLength)
        return key.withUnsafeBytes { SecretBytes(Array(Base64.encode(Array($0), .url).utf8)) }
    }
}

/// The names of runtime secrets.
package enum SecretName {
    /// The longest name (Approov's SDK: "max 64 characters").
    package static let longest = 64
    static let form = "1 to 64 printable ASCII characters without spaces, commas, quotes and backslashes"

    /// Why a text is no name; nil if it is one. The text is not in the sentence: it may be a secret by mistake.
    package static func objection(to text: String) -> String? {
        let isName =
            (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#"",\"#.utf8.contains($0) }
        return isName ? nil : "expected \(form), found \(text.utf8.count) bytes"
    }
}
