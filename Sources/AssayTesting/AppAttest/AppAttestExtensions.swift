/// The extensions that authenticator data carries since iOS and macOS 27, well-formed or not.
public struct AppAttestExtensions: Sendable {
    /// The entries of the map in order; keys can be repeated and of any type.
    package var entries: [(key: CBORItem, value: CBORItem)]

    /// Whether an empty map is written when there are no entries.
    package var isWrittenWhenEmpty = false

    /// Composes a map.
    package init(_ entries: [(key: CBORItem, value: CBORItem)]) {
        self.entries = entries
    }

    /// The extensions of a genuine app.
    ///
    /// - Parameters:
    ///   - bundleVersion: `CFBundleVersion`, and nil to leave it out.
    ///   - validationCategory: How the app was validated: 1 operating system, 2 TestFlight, 3 development, 4 App Store,
    ///     5 enterprise or ad hoc, 6 Developer ID, 10 other; and nil to leave it out.
    ///   - codeDirectoryHash: The hash for apps that opted in, 32 bytes, and nil for the others.
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

    /// The value of `apple_bundle_version_01`, genuinely text.
    package var bundleVersion: CBORItem? {
        get { self["apple_bundle_version_01"] }
        set { self["apple_bundle_version_01"] = newValue }
    }

    /// The value of `apple_validation_category_01`, genuinely a byte string of 4, little-endian.
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

    /// A number as devices write a validation category.
    package static func littleEndian(_ value: UInt32) -> CBORItem {
        .bytes((0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }

    /// The encoded map, and nothing for no entries unless ``isWrittenWhenEmpty``.
    package var encoded: [UInt8] {
        entries.isEmpty && !isWrittenWhenEmpty ? [] : CBORItem.map(entries.flatMap { [$0.key, $0.value] }).encoded
    }
}
