import AssayCore
import AssayPrimitives

/// The extensions that authenticator data ends with since iOS 27 and macOS 27: a CBOR map that nothing follows.
///
/// Unknown extensions are tolerated. A known one of the wrong type is kept as such, so that the check that rests on it
/// fails, and not the whole evidence.
struct AuthenticatorExtensions: Sendable {
    /// An extension's value as far as it can be read.
    enum Field<Value: Sendable>: Sendable {
        /// Not there.
        case absent
        /// There, and of its type.
        case value(Value)
        /// There, and of another type or length; in words.
        case malformed(String)
    }

    /// `apple_validation_category_01`: an unsigned integer, or a byte string of four, little-endian.
    private(set) var validationCategory = Field<UInt64>.absent
    /// `apple_bundle_version_01`: text.
    private(set) var bundleVersion = Field<String>.absent

    /// Reads the map that some bytes consist of, and gives nil for no bytes at all.
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
    /// Skips the value of a key that is not known, which has to be text as all keys of App Attest are.
    mutating func skipUnknown(_ key: CBORKey) throws(DecodeError) {
        guard key.text != nil else {
            throw DecodeError(.unexpectedType, at: key.offset, "keys are text, found another type")
        }
        try skipItem()
    }
}
