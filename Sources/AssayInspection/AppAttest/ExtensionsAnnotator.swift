import AppAttest

/// Annotates the extensions of authenticator data, a CBOR map since iOS 27 and macOS 27.
enum ExtensionsAnnotator {
    /// The annotation of the map.
    static func annotation(_ node: CBORNode, in bytes: [UInt8]) -> Annotation {
        var map = CBORAnnotator.annotate(node, named: "extensions", in: bytes)
        guard case .map(let members) = node.content else {
            map.violation = map.violation ?? "extensions are a map"
            return map
        }
        map.meaning = "what the system says of the app, since iOS 27 and macOS 27"
        for (index, member) in members.enumerated() where index < map.children.count {
            describe(&map.children[index], member.value, in: bytes)
        }
        return map
    }

    private static func describe(_ annotation: inout Annotation, _ node: CBORNode, in bytes: [UInt8]) {
        switch annotation.name {
        case "apple_bundle_version_01": annotation.meaning = "the app's bundle version"
        case "apple_validation_category_01":
            let number = number(node, in: bytes)
            annotation.meaning =
                number.map { "\($0): \(category($0))" }
                ?? "a validation category is an unsigned integer or 4 bytes, little-endian"
        case "apple_cd_hash_hash_01": annotation.meaning = "digest of the app's code directory (undocumented)"
        case "apple_cd_hash_type_01":
            annotation.meaning =
                "which digest that is (undocumented)" + (number(node, in: bytes) == 2 ? "; 2 is SHA-256" : "")
        default:
            annotation.meaning = ["unknown extension", annotation.meaning].compactMap { $0 }.joined(separator: ", ")
        }
    }

    private static func number(_ node: CBORNode, in bytes: [UInt8]) -> UInt64? {
        switch node.content {
        case .unsigned(let number): number
        case .bytes(let range) where range.count == 4 || range.count == 1:
            bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        default: nil
        }
    }

    private static func category(_ number: UInt64) -> String {
        switch ValidationCategory(value: number) {
        case .operatingSystem: "part of the operating system"
        case .testFlight: "installed by TestFlight"
        case .development: "installed by Xcode"
        case .appStore: "installed by the App Store"
        case .enterprise: "enterprise or ad hoc distribution"
        case .developerID: "signed with a Developer ID"
        case .other: "installed in another way"
        case nil: number <= 9 ? "never appropriate" : "not documented"
        }
    }
}
