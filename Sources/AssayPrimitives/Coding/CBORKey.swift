import AssayCore

/// The key of a CBOR map: text or an integer. Others are refused before there is a key.
///
/// Written to be switched over, without making a `String` of what was read:
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
    /// The byte of the input at which the key begins.
    package let offset: Int

    /// A key of valid UTF-8.
    init(text: ArraySlice<UInt8>, offset: Int) {
        value = .text(text)
        self.offset = offset
    }

    /// The key `argument`, or -1 minus that.
    init(_ argument: UInt64, isNegative: Bool, offset: Int) {
        value = isNegative ? .negative(argument) : .unsigned(argument)
        self.offset = offset
    }

    /// The text, and nil for an integer.
    package var text: String? {
        guard case .text(let bytes) = value else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The integer, and nil for text and for integers of more than 64 bits.
    package var integer: Int64? {
        switch value {
        case .text: nil
        case .unsigned(let argument): Int64(exactly: argument)
        case .negative(let argument): Int64(exactly: argument).map { -1 - $0 }
        }
    }

    /// The key as in CBOR's diagnostic notation, long text cut.
    package var description: String {
        switch value {
        case .text(let bytes):
            // Sixty characters and one that tells that there are more, of four bytes at most.
            "\"\(String(decoding: bytes.prefix(61 * 4), as: UTF8.self).excerpt)\""
        case .unsigned(let argument): String(argument)
        case .negative(let argument): argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
        }
    }

    /// Whether two keys are the same, wherever they stand.
    package static func == (first: CBORKey, second: CBORKey) -> Bool { first.value == second.value }

    /// Hashes the key, wherever it stands.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }

    /// Whether a key is this text, byte for byte.
    package static func ~= (text: StaticString, key: CBORKey) -> Bool {
        guard case .text(let bytes) = key.value, bytes.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { unsafe $0.elementsEqual(bytes) }
    }

    /// Whether a key is this integer.
    package static func ~= (integer: Int64, key: CBORKey) -> Bool { key.integer == integer }
}

/// The keys of one map that were seen so far, as the places where they are encoded.
///
/// Every key has one encoding, so two keys are the same when their bytes are. Real maps have a handful, for which comparing
/// is faster than hashing; the set keeps a hostile map of thousands from costing the square of that.
struct CBORKeys {
    private static let few = 8
    private var places: [Range<Int>] = []
    private var set: Set<ArraySlice<UInt8>> = []

    /// Adds the key that is encoded at a place.
    /// - Returns: false when it was there already.
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
