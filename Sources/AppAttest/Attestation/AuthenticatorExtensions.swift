import AssayCore

/// The extensions at the end of authenticator data since iOS 27 and macOS 27: one CBOR map. Unknown extensions are
/// allowed. A known one of the wrong type fails only its own check, not the decoding.
struct AuthenticatorExtensions: Sendable {
    /// The value of an extension.
    enum Field<Value: Sendable>: Sendable {
        /// The extension is absent.
        case absent
        /// The extension has the expected type.
        case value(Value)
        /// The extension has another type or length, which the text describes.
        case malformed(String)
    }

    /// `apple_validation_category_01`: an unsigned integer, or a byte string of four, little-endian.
    private(set) var validationCategory = Field<UInt64>.absent
    /// `apple_bundle_version_01`: text.
    private(set) var bundleVersion = Field<String>.absent

    /// Reads a map that must fill `bytes`; nil for no bytes.
    init?(_ bytes: ArraySlice<UInt8>) throws(DecodeError) {
        guard !bytes.isEmpty else { return nil }
        do {
            var reader = CBORReader(bytes)
            try read(&reader)
            try reader.finish()
        } catch {
            throw error.within("extensions")
        }
    }

    private mutating func read(_ reader: inout CBORReader) throws(DecodeError) {
        var category = Field<UInt64>.absent
        var bundle = Field<String>.absent
        try reader.readMap { (key, reader) throws(DecodeError) in
            switch key {
            case "apple_validation_category_01": category = try Self.category(&reader)
            case "apple_bundle_version_01": bundle = try Self.text(&reader)
            default: try reader.skipUnknown(key)
            }
        }
        validationCategory = category
        bundleVersion = bundle
    }

    private static func category(_ reader: inout CBORReader) throws(DecodeError) -> Field<UInt64> {
        switch reader.peekType() {
        case .unsigned:
            return .value(try reader.readUnsigned())
        case .byteString:
            let bytes = try reader.readByteString()
            guard bytes.count == 4 else {
                return .malformed("expected an unsigned integer or 4 bytes, found \(bytes.count) bytes")
            }
            return .value(bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        case let type:
            try reader.skipItem()
            return .malformed("expected an unsigned integer or 4 bytes, found \(type.map { "\($0)" } ?? "nothing")")
        }
    }

    private static func text(_ reader: inout CBORReader) throws(DecodeError) -> Field<String> {
        let type = reader.peekType()
        guard type == .text else {
            try reader.skipItem()
            return .malformed("expected text, found \(type.map { "\($0)" } ?? "nothing")")
        }
        return .value(try reader.readText())
    }
}

extension CBORReader {
    /// Skips the value of an unknown key, which must be text, as all keys of App Attest are.
    mutating func skipUnknown(_ key: CBORKey) throws(DecodeError) {
        guard key.text != nil else {
            throw DecodeError(.unexpectedType, at: key.offset, "keys are text, found another type")
        }
        try skipItem()
    }
}
