/// The authenticator data extensions that devices send since iOS and macOS 27, well-formed or not.
public struct AppAttestExtensions: Sendable {
    /// The map entries in order. Keys may repeat and may have any type.
    package var entries: [(key: CBORItem, value: CBORItem)]

    /// True to encode an empty map when there are no entries.
    package var isWrittenWhenEmpty = false

    /// Creates extensions from map entries.
    package init(_ entries: [(key: CBORItem, value: CBORItem)]) {
        self.entries = entries
    }

    /// The extensions that a genuine app sends.
    ///
    /// - Parameters:
    ///   - bundleVersion: `CFBundleVersion`; nil omits it.
    ///   - validationCategory: 1 operating system, 2 TestFlight, 3 development, 4 App Store, 5 enterprise or ad hoc, 6
    ///     Developer ID, 10 other; nil omits it.
    ///   - codeDirectoryHash: 32 bytes, for apps that opted in; nil omits it.
    public init(bundleVersion: String?, validationCategory: UInt32?, codeDirectoryHash: [UInt8]? = nil) {
        entries = []
        if let bundleVersion { self.bundleVersion = .text(bundleVersion) }
        if let validationCategory { self.validationCategory = Self.littleEndian(validationCategory) }
        if let codeDirectoryHash {
            self["apple_cd_hash_hash_01"] = .bytes(codeDirectoryHash)
            self["apple_cd_hash_type_01"] = .bytes([0x02])
        }
    }

    /// No extensions: what iOS before 27 sends.
    public static let none = AppAttestExtensions([])

    /// The value of `apple_bundle_version_01`. Genuine devices send text.
    package var bundleVersion: CBORItem? {
        get { self["apple_bundle_version_01"] }
        set { self["apple_bundle_version_01"] = newValue }
    }

    /// The value of `apple_validation_category_01`. Genuine devices send a little-endian byte string of 4 bytes.
    package var validationCategory: CBORItem? {
        get { self["apple_validation_category_01"] }
        set { self["apple_validation_category_01"] = newValue }
    }

    /// The value of the first entry with a text key; setting nil removes it.
    package subscript(key: String) -> CBORItem? {
        get { entries.first { $0.key == .text(key) }?.value }
        set {
            let index = entries.firstIndex { $0.key == .text(key) }
            if let index, let newValue {
                entries[index].value = newValue
            } else if let index {
                entries.remove(at: index)
            } else if let newValue {
                entries.append((.text(key), newValue))
            }
        }
    }

    /// Encodes a number as devices encode the validation category: 4 bytes, little-endian.
    package static func littleEndian(_ value: UInt32) -> CBORItem {
        .bytes((0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }

    /// The encoded map; empty without entries unless ``isWrittenWhenEmpty``.
    package var encoded: [UInt8] {
        entries.isEmpty && !isWrittenWhenEmpty ? [] : CBORItem.map(entries.flatMap { [$0.key, $0.value] }).encoded
    }
}
