import AssayTesting

/// Inconsistent authenticator data, all with a genuine nonce.
extension AppAttestVectorMint {
    var attestationDecodeAuthenticatorData: [VectorCase] { lengths + credentialIDs + keysAndTails }

    private func refused(_ id: String, _ change: @escaping (inout AttestationBlueprint) -> Void) -> VectorCase {
        attestation("authenticator-data-\(id)", .reject("decode"), change: change)
    }

    /// Lengths at every part boundary and one byte before it, and one byte less and more than a genuine length.
    private var lengths: [VectorCase] {
        let truncated = [0, 1, 31, 32, 33, 36, 37, 38, 53, 54, 55, 86, 87, 88, 120, 163].map { length in
            refused("of-\(length)") { $0.changeAuthenticatorData = { Array($0.prefix(length)) } }
        }
        return truncated + [refused("of-165") { $0.changeAuthenticatorData = { $0 + [0x00] } }]
    }

    private var credentialIDs: [VectorCase] {
        let claimed = [0, 1, 31, 33, 109, 65_535].map { (length: UInt16) in
            refused("credential-id-claims-\(length)") {
                $0.authenticatorData.attestedCredential?.credentialIDLength = length
            }
        }
        let true32 = [0, 31, 33, 64].map { length in
            refused("credential-id-of-\(length)") {
                let id = $0.key.keyID + $0.key.keyID
                $0.authenticatorData.attestedCredential?.credentialID = Array(id.prefix(length))
            }
        }
        return claimed + true32
    }

    private var keysAndTails: [VectorCase] {
        func cose(
            _ id: String, _ outcome: VectorOutcome = .reject("decode"), _ change: @escaping ([CBORItem]) -> CBORItem
        ) -> VectorCase {
            attestation("cose-\(id)", outcome) {
                guard case .map(let items) = $0.key.coseKey else { return }
                $0.authenticatorData.attestedCredential?.publicKey = change(items).encoded
            }
        }
        func replacing(_ index: Int, _ value: CBORItem, in items: [CBORItem]) -> CBORItem {
            var items = items
            items[index] = value
            return .map(items)
        }
        let genuine = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4).encoded
        func tail(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            attestation("tail-\(id)", .reject("decode"), device: .iOS27) {
                $0.authenticatorData.flags = 0xC0
                $0.authenticatorData.extensions = bytes
            }
        }
        return [
            cose("as-array") { .array($0) },
            cose("empty-map") { _ in .map([]) },
            cose("without-y") { .map(Array($0.dropLast(2))) },
            cose("x-twice") { .map($0 + $0[6...7]) },
            cose("indefinite-map") { .indefiniteMap($0) },
            cose("octet-key-pair") { replacing(1, .integer(1), in: $0) },
            cose("rsa") { replacing(1, .integer(3), in: $0) },
            cose("es384") { replacing(3, .integer(-35), in: $0) },
            cose("curve-p384") { replacing(5, .integer(2), in: $0) },
            cose("x-of-31") { replacing(7, .bytes([UInt8](repeating: 1, count: 31)), in: $0) },
            cose("x-of-33") { replacing(7, .bytes(.zeros(33)), in: $0) },
            cose("x-as-text") { replacing(7, .text("x"), in: $0) },
            cose("compressed-y") { replacing(9, .simple(21), in: $0) },
            cose("not-minimal") {
                replacing(7, .head(majorType: 2, argument: 32, argumentBytes: 2, followedBy: Self.bytes($0[7])), in: $0)
            },
            cose("off-curve", .reject("public-key")) { replacing(9, .bytes([UInt8](repeating: 1, count: 32)), in: $0) },
            tail("text", CBORItem.text("extensions").encoded),
            tail("array", CBORItem.array([.text("apple_bundle_version_01"), .text("1.2")]).encoded),
            tail("integer", [0x00]),
            tail("bytes", CBORItem.bytes(genuine).encoded),
            tail("null", [0xF6]),
            tail("map-and-another-map", genuine + genuine),
            tail("map-and-empty-map", genuine + [0xA0]),
            tail("map-and-byte", genuine + [0x00]),
            tail("map-truncated", Array(genuine.dropLast())),
            tail("map-indefinite", [0xBF] + genuine.dropFirst() + [0xFF]),
            tail("map-tagged", [0xC0] + genuine),
            tail("map-count-not-minimal", [0xB8, 0x02] + genuine.dropFirst()),
            tail("map-of-2-to-the-32", [0xBA, 0xFF, 0xFF, 0xFF, 0xFF] + genuine.dropFirst()),
            tail(
                "category-twice",
                CBORItem.map([
                    .text("apple_validation_category_01"), AppAttestExtensions.littleEndian(4),
                    .text("apple_validation_category_01"), AppAttestExtensions.littleEndian(0),
                ]).encoded),
            tail(
                "deep-nesting",
                CBORItem.map([.text("x"), .raw([UInt8](repeating: 0x81, count: 4000) + [0x00])]).encoded),
        ]
    }

    private static func bytes(_ item: CBORItem) -> [UInt8] {
        if case .bytes(let bytes) = item { bytes } else { [] }
    }
}
