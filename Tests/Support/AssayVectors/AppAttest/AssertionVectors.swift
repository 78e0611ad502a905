import AssayPrimitives
import AssayTesting

/// Assertions that are genuine, malformed, or of another key, app or time.
extension AppAttestVectorMint {
    func assertionDecode() throws(MintingError) -> [VectorCase] {
        objects + hostile + authenticatorData + (try foreign())
    }

    var assertionAccept: [VectorCase] {
        let extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
        return [
            assertion("assertion-genuine", .accept),
            assertion("assertion-high-s", .accept) { $0.signature = .highS },
            assertion("assertion-low-s", .accept) { $0.signature = .lowS },
            assertion("assertion-with-extensions", .accept) { $0.authenticatorData.extensions = extensions.encoded },
            assertion("assertion-with-extensions-flags-c0", .accept) {
                $0.authenticatorData.extensions = extensions.encoded
                $0.authenticatorData.flags = 0xC0
            },
            assertion("assertion-with-category-as-integer", .accept) {
                $0.authenticatorData.extensions =
                    AppAttestExtensions([(.text("apple_validation_category_01"), .unsigned(4))]).encoded
            },
            assertion("assertion-flags-00", .accept) { $0.authenticatorData.flags = 0x00 },
            assertion("assertion-skips-counters", .accept, counter: 1000, stored: 1),
            assertion("assertion-counter-80000000", .accept, counter: 0x8000_0000, stored: 0x7FFF_FFFF),
            assertion("assertion-counter-ffffffff", .accept, counter: .max, stored: 0x8000_0000),
            assertion("assertion-on-a-hash", .accept) { $0.clientData = .hash(Digest.sha256([1])) },
            assertion("assertion-on-empty-client-data", .accept) { $0.clientData = .bytes([]) },
            assertion(
                "assertion-key-as-subject-public-key-info", .accept,
                publicKey: key("assertion-key-as-subject-public-key-info").key.subjectPublicKeyInfo()),
        ]
    }

    private func object(
        _ id: String, _ change: @escaping @Sendable (inout CBORItem) -> Void
    ) -> VectorCase {
        assertion("assertion-\(id)", .reject("decode")) { $0.changeObject = change }
    }

    private func encoded(_ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> VectorCase {
        assertion("assertion-\(id)", .reject("decode")) { $0.changeEncoded = change }
    }

    private var objects: [VectorCase] {
        [
            encoded("empty") { _ in [] },
            encoded("truncated") { Array($0.dropLast()) },
            encoded("trailing-byte") { $0 + [0x00] },
            object("signature-missing") { $0["signature"] = nil },
            object("authenticator-data-missing") { $0["authenticatorData"] = nil },
            object("signature-twice") { $0 = $0.appending([.text("signature"), .bytes([])]) },
            object("authenticator-data-twice") { $0 = $0.appending([.text("authenticatorData"), .bytes([])]) },
            object("integer-key") { $0 = $0.appending([.unsigned(1), .unsigned(1)]) },
            object("array") { $0 = .array([$0]) },
            object("signature-as-text") { $0["signature"] = .text("signature") },
            object("authenticator-data-as-array") { $0["authenticatorData"] = .array([]) },
        ]
    }

    private var hostile: [VectorCase] {
        [
            object("indefinite-map") { if case .map(let items) = $0 { $0 = .indefiniteMap(items) } },
            object("indefinite-signature") {
                if case .bytes(let bytes)? = $0["signature"] { $0["signature"] = .indefiniteBytes([bytes]) }
            },
            object("tagged") { $0 = .tagged(55_799, $0) },
            encoded("map-count-not-minimal") { [0xB8, 0x02] + $0.dropFirst() },
            object("huge-byte-string") {
                $0["signature"] = .head(majorType: 2, argument: .max, argumentBytes: 8, followedBy: [])
            },
            object("deep-nesting") {
                $0 = $0.appending([.text("x"), .raw([UInt8](repeating: 0x81, count: 4000) + [0x00])])
            },
        ]
    }

    private var authenticatorData: [VectorCase] {
        let genuine = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4).encoded
        let truncated = [0, 1, 31, 32, 33, 36].map { length in
            assertion("assertion-authenticator-data-of-\(length)", .reject("decode")) {
                $0.changeAuthenticatorData = { Array($0.prefix(length)) }
            }
        }
        func tail(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            assertion("assertion-tail-\(id)", .reject("decode")) { $0.authenticatorData.extensions = bytes }
        }
        return truncated + [
            tail("byte", [0x00]), tail("text", CBORItem.text("extensions").encoded),
            tail("map-and-another-map", genuine + genuine), tail("map-and-byte", genuine + [0x00]),
            tail("map-truncated", Array(genuine.dropLast())),
            tail("map-indefinite", [0xBF] + genuine.dropFirst() + [0xFF]),
            tail("key-twice", CBORItem.map([.text("x"), .unsigned(1), .text("x"), .unsigned(1)]).encoded),
        ]
    }

    private func foreign() throws(MintingError) -> [VectorCase] {
        let attestation = try attestation("assertion-of-attestation").mint()
        return [
            assertion("assertion-with-authenticator-data-of-attestation", .reject("decode")) {
                $0.changeAuthenticatorData = { _ in attestation.authenticatorData }
            },
            encoded("is-an-attestation") { _ in attestation.attestation },
        ]
    }

    var assertionCounter: [VectorCase] {
        [
            assertion("assertion-counter-equal", .reject("counter"), counter: 7, stored: 7),
            assertion("assertion-counter-lower", .reject("counter"), counter: 6, stored: 7),
            assertion("assertion-counter-0", .reject("counter"), counter: 0, stored: 0),
            assertion("assertion-counter-0-after-7", .reject("counter"), counter: 0, stored: 7),
            assertion(
                "assertion-counter-80000000-after-ffffffff", .reject("counter"), counter: 0x8000_0000, stored: .max),
            assertion("assertion-counter-wraps", .reject("counter"), counter: 0, stored: .max),
            assertion("assertion-counter-ffffffff-twice", .reject("counter"), counter: .max, stored: .max),
            assertion("assertion-for-another-app", .reject("app-id")) {
                $0.authenticatorData.rpIDHash = Digest.sha256(Array(Self.otherAppID.utf8))
            },
            assertion("assertion-for-no-app", .reject("app-id")) { $0.authenticatorData.rpIDHash = [UInt8].zeros(32) },
        ]
    }

    var successorAssertionCounter: [VectorCase] {
        [
            assertion("successor-direct", .accept, counter: 8, stored: 7),
            assertion("successor-skips-one", .reject("counter"), counter: 9, stored: 7),
            assertion("successor-equal", .reject("counter"), counter: 7, stored: 7),
            assertion("successor-of-ffffffff", .reject("counter"), counter: 0, stored: .max),
        ]
    }
}
