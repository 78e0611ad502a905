import AssayTesting

/// Descriptions that two parsers could read differently.
extension AndroidKeyVectorMint {
    private func reject(
        _ id: String, _ change: @escaping (inout KeyDescriptionBlueprint) -> Void
    ) -> VectorCase { description(id, .reject("extension"), change: change) }

    var extensionFields: [VectorCase] {
        func fields(_ id: String, _ change: @escaping @Sendable ([[UInt8]]) -> [[UInt8]]) -> VectorCase {
            reject(id) { $0.changeFields = change }
        }
        func field(_ id: String, _ index: Int, _ bytes: [UInt8]) -> VectorCase {
            fields(id) { fields in
                var fields = fields
                fields[index] = bytes
                return fields
            }
        }
        return [
            reject("description-empty") { $0.changeEncoded = { _ in [] } },
            reject("description-with-trailing-byte") { $0.changeEncoded = { $0 + [0] } },
            reject("description-cut") { $0.changeEncoded = { $0.dropLast() } },
            reject("description-as-set") { $0.changeEncoded = { [0x31] + $0.dropFirst() } },
            reject("description-indefinite") {
                $0.changeEncoded = { DERBuilder.indefinite(0x30, Array($0.dropFirst(4))) }
            },
            reject("description-length-padded") { $0.changeEncoded = { [0x30, 0x83, 0] + $0.dropFirst(2) } },
            fields("seven-fields") { $0.dropLast() },
            fields("nine-fields") { $0 + [$0[7]] },
            field("version-padded", 0, [2, 2, 0, 100]), field("version-negative", 0, [2, 1, 0xFF]),
            field("version-empty", 0, [2, 0]), field("version-0", 0, [2, 1, 0]),
            field("version-of-4000-bits", 0, DERBuilder.element(2, [1] + .zeros(499))),
            field("level-as-integer", 1, [2, 1, 1]), field("level-3", 1, [10, 1, 3]),
            field("level-minus-1", 1, [10, 1, 0xFF]), field("level-empty", 1, [10, 0]),
            field("level-of-two-octets", 1, [10, 2, 0, 1]), field("keymint-level-3", 3, [10, 1, 3]),
            field("challenge-as-text", 4, DERBuilder.utf8String("challenge")),
            field("unique-id-as-null", 5, DERBuilder.null), field("software-list-as-set", 6, [0x31, 0]),
            field("hardware-list-as-octets", 7, [4, 0]),
        ]
    }

    var authorizations: [VectorCase] { listElements + rootsOfTrust + applicationIDs }

    private var listElements: [VectorCase] {
        func element(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            reject(id) { $0.hardwareEnforced.elements.append(.encoded(bytes)) }
        }
        func value(_ id: String, _ tag: AndroidKeyTag, _ bytes: [UInt8]) -> VectorCase {
            reject(id) { $0.hardwareEnforced[tag] = .encoded(bytes) }
        }
        return [
            reject("tag-twice") { description in
                let elements = description.hardwareEnforced.elements
                description.hardwareEnforced.elements.insert(elements[0], at: 1)
            },
            reject("tags-descending") { $0.hardwareEnforced.elements.reverse() },
            reject("software-tags-descending") { $0.softwareEnforced.elements.reverse() },
            element("tag-with-leading-zeros", [0xBF, 0x80, 0x85, 0x50, 2, 5, 0]),
            element("small-tag-in-long-form", [0xBF, 0x1E, 2, 5, 0]),
            element("tag-primitive", [0x9F, 0x87, 0x68, 2, 5, 0]), element("tag-private", [0xFF, 0x87, 0x68, 2, 5, 0]),
            element("tag-universal", [0x30, 2, 5, 0]), element("tag-empty", DERBuilder.context(1000, [])),
            element("tag-with-two-values", DERBuilder.context(1000, [5, 0, 5, 0])),
            element(
                "unknown-tag-deep",
                DERBuilder.context(1000, (0..<20).reduce(DERBuilder.null) { inner, _ in DERBuilder.sequence(inner) })),
            value("os-version-padded", .osVersion, [2, 4, 0, 2, 0x71, 0]),
            value("os-version-negative", .osVersion, [2, 1, 0x80]),
            value("os-version-of-4000-bits", .osVersion, DERBuilder.element(2, [1] + .zeros(499))),
            value("os-version-as-octets", .osVersion, [4, 1, 1]),
            value("os-version-with-trailing-value", .osVersion, [2, 1, 1, 5, 0]),
            value("purpose-as-integer", .purpose, [2, 1, 2]),
            value("purpose-as-sequence", .purpose, [0x30, 3, 2, 1, 2]),
            value("no-auth-required-as-boolean", .noAuthRequired, [1, 1, 0xFF]),
            value("no-auth-required-with-contents", .noAuthRequired, [5, 1, 0]),
        ]
    }

    private var rootsOfTrust: [VectorCase] {
        func root(_ id: String, _ fields: @escaping ([[UInt8]]) -> [[UInt8]]) -> VectorCase {
            reject(id) { description in
                description.hardwareEnforced[.rootOfTrust] = .encoded(
                    DERBuilder.element(0x30, fields(AndroidKeyDevice.remote.rootOfTrust.fields).flatMap { $0 }))
            }
        }
        return [
            root("root-of-trust-of-five-fields") { $0 + [DERBuilder.octetString([1])] },
            root("root-of-trust-of-two-fields") { Array($0.prefix(2)) },
            root("locked-as-integer") { [$0[0], [2, 1, 1], $0[2], $0[3]] },
            root("locked-of-two-octets") { [$0[0], [1, 2, 0xFF, 0xFF], $0[2], $0[3]] },
            root("locked-as-02") { [$0[0], [1, 1, 2], $0[2], $0[3]] },
            root("boot-state-4") { [$0[0], $0[1], [10, 1, 4], $0[3]] },
            root("boot-state-as-integer") { [$0[0], $0[1], [2, 1, 0], $0[3]] },
            reject("root-of-trust-as-set") { description in
                let root = AndroidKeyDevice.remote.rootOfTrust.fields.flatMap { $0 }
                description.hardwareEnforced[.rootOfTrust] = .encoded(DERBuilder.element(0x31, root))
            },
        ]
    }

    private var applicationIDs: [VectorCase] {
        func application(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            reject(id) { $0.softwareEnforced[.attestationApplicationID] = .octets(bytes) }
        }
        let genuine = ApplicationIDBlueprint(
            packages: [.init(Self.packageName, version: UInt64(Self.versionCode))], digests: [Self.digest]
        ).encoded
        return [
            application("application-id-empty", []), application("application-id-as-text", Array("com.example".utf8)),
            application("application-id-with-trailing-byte", genuine + [0]),
            application("application-id-of-one-set", [0x30, 2, 0x31, 0]),
            application(
                "version-code-negative",
                DERBuilder.sequence(
                    DERBuilder.set(DERBuilder.sequence(DERBuilder.octetString(Self.packageName), [2, 1, 0xFF])),
                    DERBuilder.set(DERBuilder.octetString(Self.digest)))),
        ]
    }
}
