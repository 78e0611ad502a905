import AssayTesting
import FoundationEssentials

/// Attestation objects that are not well-formed CBOR, or not of the documented form.
extension AppAttestVectorMint {
    private func encoded(
        _ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> VectorCase {
        attestation(id, .reject("decode")) { $0.changeEncoded = change }
    }

    private func object(
        _ id: String, _ change: @escaping @Sendable (inout CBORItem) -> Void
    ) -> VectorCase {
        attestation(id, .reject("decode")) { $0.changeObject = change }
    }

    var attestationDecodeCbor: [VectorCase] {
        [
            encoded("cbor-empty") { _ in [] },
            encoded("cbor-truncated") { Array($0.dropLast()) },
            encoded("cbor-first-byte-only") { Array($0.prefix(1)) },
            encoded("cbor-trailing-byte") { $0 + [0x00] },
            encoded("cbor-twice") { $0 + $0 },
            object("cbor-fmt-missing") { $0["fmt"] = nil },
            object("cbor-statement-missing") { $0["attStmt"] = nil },
            object("cbor-authenticator-data-missing") { $0["authData"] = nil },
            object("cbor-fmt-twice") { $0 = $0.appending([.text("fmt"), .text("apple-appattest")]) },
            object("cbor-authenticator-data-twice") { $0 = $0.appending([.text("authData"), .bytes([])]) },
            object("cbor-unknown-key-twice") {
                $0 = $0.appending([.text("x"), .unsigned(1), .text("x"), .unsigned(1)])
            },
            object("cbor-integer-key") { $0 = $0.appending([.unsigned(1), .unsigned(1)]) },
            object("cbor-bytes-key") { $0 = $0.appending([.bytes(Array("fmt".utf8)), .unsigned(1)]) },
            object("cbor-array") { $0 = .array([$0]) },
            object("cbor-null") { $0 = .simple(22) },
            object("cbor-fmt-as-bytes") { $0["fmt"] = .bytes(Array("apple-appattest".utf8)) },
            object("cbor-fmt-packed") { $0["fmt"] = .text("packed") },
            object("cbor-fmt-of-webauthn") { $0["fmt"] = .text("apple") },
            object("cbor-authenticator-data-as-text") { $0["authData"] = .text("authData") },
            object("cbor-statement-as-array") { $0["attStmt"] = .array([]) },
            object("cbor-text-not-utf-8") { $0 = $0.appending([.text("x"), .raw([0x62, 0xC3, 0x28])]) },
            object("cbor-indefinite-map") { if case .map(let items) = $0 { $0 = .indefiniteMap(items) } },
            object("cbor-indefinite-authenticator-data") {
                if case .bytes(let bytes)? = $0["authData"] { $0["authData"] = .indefiniteBytes([bytes]) }
            },
            object("cbor-indefinite-fmt") { $0["fmt"] = .indefiniteText(["apple-", "appattest"]) },
            object("cbor-self-described") { $0 = .tagged(55_799, $0) },
            object("cbor-tagged-authenticator-data") { $0["authData"] = $0["authData"].map { .tagged(24, $0) } },
            encoded("cbor-map-count-not-minimal") { [0xB8, 0x03] + $0.dropFirst() },
            object("cbor-length-not-minimal") {
                if case .bytes(let bytes)? = $0["authData"] {
                    $0["authData"] = .head(
                        majorType: 2, argument: UInt64(bytes.count), argumentBytes: 4, followedBy: bytes)
                }
            },
            object("cbor-text-length-not-minimal") {
                $0["fmt"] = .head(
                    majorType: 3, argument: 15, argumentBytes: 1, followedBy: Array("apple-appattest".utf8))
            },
            object("cbor-huge-byte-string") {
                $0["authData"] = .head(majorType: 2, argument: 1 << 63, argumentBytes: 8, followedBy: [1, 2, 3])
            },
            object("cbor-byte-string-of-2-to-the-64") {
                $0["authData"] = .head(majorType: 2, argument: .max, argumentBytes: 8, followedBy: [])
            },
            object("cbor-huge-array") {
                $0 = $0.appending([
                    .text("x"), .head(majorType: 4, argument: 1 << 32, argumentBytes: 8, followedBy: []),
                ])
            },
            encoded("cbor-huge-map") { [0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + $0.dropFirst() },
            object("cbor-deep-nesting") {
                $0 = $0.appending([.text("x"), .raw([UInt8](repeating: 0x81, count: 4000) + [0x00])])
            },
            object("cbor-reserved-additional-information") { $0 = $0.appending([.text("x"), .raw([0x1C])]) },
            object("cbor-break-alone") { $0 = $0.appending([.text("x"), .raw([0xFF])]) },
        ]
    }

    var attestationDecodeStatement: [VectorCase] {
        [
            object("x5c-missing") { $0.statement["x5c"] = nil },
            object("x5c-as-bytes") { $0.statement["x5c"] = .bytes([1]) },
            object("x5c-certificate-as-text") { $0.statement["x5c"] = .array([.text("a"), .text("b")]) },
            object("x5c-indefinite") {
                if case .array(let items)? = $0.statement["x5c"] { $0.statement["x5c"] = .indefiniteArray(items) }
            },
            object("x5c-twice") { $0.statement = $0.statement.appending([.text("x5c"), .array([])]) },
            object("receipt-as-text") { $0.statement["receipt"] = .text("receipt") },
            attestation("x5c-of-0", .reject("decode")) { $0.changeCertificates = { _ in [] } },
            attestation("x5c-of-1", .reject("decode")) { $0.changeCertificates = { [$0[0]] } },
            attestation("x5c-of-3", .reject("decode")) { [root = authority.rootCertificate] in
                $0.changeCertificates = { $0 + [root] }
            },
            attestation("x5c-leaf-is-no-certificate", .reject("decode")) {
                $0.changeCertificates = { [[0x30, 0x00], $0[1]] }
            },
            attestation("x5c-leaf-with-trailing-byte", .reject("decode")) {
                $0.changeCertificates = { [$0[0] + [0x00], $0[1]] }
            },
            attestation("x5c-leaf-truncated", .reject("decode")) {
                $0.changeCertificates = { [Array($0[0].dropLast()), $0[1]] }
            },
        ]
    }
}

extension CBORItem {
    /// The map with more keys and values at its end.
    func appending(_ items: [CBORItem]) -> CBORItem {
        guard case .map(let own) = self else { return self }
        return .map(own + items)
    }

    /// The attestation statement of an attestation object.
    var statement: CBORItem {
        get { self["attStmt"] ?? .map([]) }
        set { self["attStmt"] = newValue }
    }
}
