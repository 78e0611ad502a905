/// The key of a CBOR map: text or an integer. ``CBORReader`` rejects other keys.
///
/// Supports `switch` without creating a `String`:
///
///     switch key {
///     case "fmt": ...
///     case -2: ...
///     default: ...
///     }
package struct CBORKey: Hashable, Sendable, CustomStringConvertible {
    private enum Value: Hashable {
        case text(ArraySlice<UInt8>)
        case unsigned(UInt64)
        /// -1 minus the argument.
        case negative(UInt64)
    }

    private let value: Value
    /// The offset of the key in the input.
    package let offset: Int

    /// Creates a text key. `text` must be valid UTF-8.
    init(text: ArraySlice<UInt8>, offset: Int) {
        value = .text(text)
        self.offset = offset
    }

    /// Creates an integer key: `argument`, or -1 minus `argument` if negative.
    init(_ argument: UInt64, isNegative: Bool, offset: Int) {
        value = isNegative ? .negative(argument) : .unsigned(argument)
        self.offset = offset
    }

    /// The text, or nil for an integer.
    package var text: String? {
        guard case .text(let bytes) = value else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The integer, or nil for text and for integers outside `Int64`.
    package var integer: Int64? {
        switch value {
        case .text: nil
        case .unsigned(let argument): Int64(exactly: argument)
        case .negative(let argument): Int64(exactly: argument).map { -1 - $0 }
        }
    }

    /// The key in CBOR diagnostic notation; long text is truncated.
    package var description: String {
        switch value {
        case .text(let bytes):
            // `excerpt` needs 61 characters to detect more than 60; each has at most 4 bytes.
            "\"\(String(decoding: bytes.prefix(61 * 4), as: UTF8.self).excerpt)\""
        case .unsigned(let argument): String(argument)
        case .negative(let argument): argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
        }
    }

    /// Compares the keys, not their offsets.
    package static func == (first: CBORKey, second: CBORKey) -> Bool { first.value == second.value }

    /// Hashes the key, not its offset.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }

    /// Whether a key equals this text, byte for byte.
    package static func ~= (text: StaticString, key: CBORKey) -> Bool {
        guard case .text(let bytes) = key.value, bytes.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { unsafe $0.elementsEqual(bytes) }
    }

    /// Whether a key equals this integer.
    package static func ~= (integer: Int64, key: CBORKey) -> Bool { key.integer == integer }
}

/// The keys of one map read so far, as ranges of their canonical encodings. A linear search is fastest for the few keys
/// of real maps. Larger maps use a set: thousands of hostile keys would otherwise cost quadratic time.
struct CBORKeys {
    private static let few = 8
    private var places: [Range<Int>] = []
    private var set: Set<ArraySlice<UInt8>> = []

    /// Adds the key encoded at `place`.
    /// - Returns: false if the key is a duplicate.
    mutating func insert(_ place: Range<Int>, of bytes: ArraySlice<UInt8>) -> Bool {
        if set.isEmpty {
            for other in places where other.count == place.count && bytes[other] == bytes[place] { return false }
            if places.count < CBORKeys.few {
                if places.isEmpty { places.reserveCapacity(CBORKeys.few) }
                places.append(place)
                return true
            }
            set = Set(places.map { bytes[$0] })
        }
        return set.insert(bytes[place]).inserted
    }
}
