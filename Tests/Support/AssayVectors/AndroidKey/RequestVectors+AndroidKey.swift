import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Requests signed by an attested key.
extension AndroidKeyVectorMint {
    private static let targetURI = "https://api.example.com/v1/orders?id=7"
    private static let day = 86_400.0

    private func blueprint(
        _ key: AndroidAttestedKey, body: [UInt8] = [], nonce: String? = nil, delay: TimeInterval = 0
    ) -> SignedRequestBlueprint {
        var blueprint = SignedRequestBlueprint(
            method: body.isEmpty ? "GET" : "POST", targetURI: Self.targetURI, evidence: .androidKey(key), nonce: nonce,
            createdAt: time.addingTimeInterval(delay))
        blueprint.body = body
        return blueprint
    }

    private func record(
        _ id: String, of request: MintedRequest, _ outcome: VectorOutcome, supplied: [UInt8]? = nil,
        account: String? = nil, delay: TimeInterval = 0
    ) -> EvidenceRecord {
        var record = request.record(
            id: id, app: Self.app, receivedAt: time.addingTimeInterval(delay),
            with: supplied.map { [("publicKey", .text(Base64.encode($0, .standard)))] } ?? [],
            expect: outcome.expectation("android-key"))
        record.account = account
        return record
    }

    /// A request that differs from a genuine one in one respect. Its record contains the key.
    private func request(
        _ id: String, _ outcome: VectorOutcome, _ algorithm: AndroidTestKey.Algorithm = .p256, body: [UInt8] = [],
        nonce: String? = nil, supplied: [UInt8]? = nil,
        change: @escaping (inout SignedRequestBlueprint) -> Void = { _ in },
        minted: @escaping (inout MintedRequest) -> Void = { _ in }
    ) -> VectorCase {
        {
            let id = "request-\(id)"
            let key = try key(id, algorithm)
            var blueprint = blueprint(key, body: body, nonce: nonce)
            change(&blueprint)
            var request = try blueprint.mint()
            minted(&request)
            return record(id, of: request, outcome, supplied: supplied ?? key.publicKey)
        }
    }

    private var cases: RequestVectors {
        RequestVectors(time: time) { id, outcome, body, change, minted in
            request(
                id, outcome, body: body,
                change: { blueprint in
                    change(&blueprint)
                    // Algorithms that other engines reject are valid here, and the other way round.
                    if id == "parameter-algorithm" { blueprint.signing[parameter: "alg"] = .string("hmac-sha256") }
                    if id == "parameter-tag-of-another-engine" {
                        blueprint.signing[parameter: "tag"] = .string("app-attest")
                    }
                }, minted: minted)
        }
    }

    var requestAccept: [VectorCase] {
        cases.accepted + [
            request("rsa-2048", .accept, .rsa(2048), body: RequestVectors.body),
            request("rsa-3072", .accept, .rsa(3072)),
            request("other-s", .accept, minted: { $0.changeSignature(SignatureBytes.otherForm) }),
        ]
    }
    var requestDecode: [VectorCase] {
        func keyID(_ id: String, _ value: String?) -> VectorCase {
            request("key-id-\(id)", .reject("request.decode")) {
                $0.signing[parameter: "keyid"] = value.map { .string($0) }
            }
        }
        func algorithm(_ id: String, _ value: String?) -> VectorCase {
            request("algorithm-\(id)", .reject("request.decode")) {
                $0.signing[parameter: "alg"] = value.map { .string($0) }
            }
        }
        return cases.decode + [
            keyID("absent", nil), keyID("of-31-bytes", Base64.encode([UInt8].zeros(31), .standard)),
            keyID("base64url", Base64.encode([UInt8](repeating: 0xFF, count: 32), .url)), algorithm("absent", nil),
            algorithm("in-upper-case", "ECDSA-P256-SHA256"), algorithm("of-p384", "ecdsa-p384-sha384"),
            algorithm("pss", "rsa-pss-sha512"), algorithm("none", "none"),
        ]
    }
    var requestComponents: [VectorCase] { cases.components }
    var requestFreshness: [VectorCase] { cases.freshness }
    var requestDigests: [VectorCase] {
        cases.digests + [
            {
                let id = "request-digest-not-computed"
                let key = try key(id)
                var blueprint = blueprint(key, body: RequestVectors.body)
                blueprint.digests = [.sha512]
                return record(
                    id, of: try blueprint.mint(), .reject("request.content-digest"), supplied: key.publicKey
                ).replacingBody(with: RequestVectors.body, .sha256)
            }
        ]
    }

    /// Requests that fail the checks of the key.
    func requestKey() throws(MintingError) -> [VectorCase] {
        let other = try key("request-other")
        func algorithm(
            _ id: String, _ name: String, _ algorithm: AndroidTestKey.Algorithm, _ check: String
        ) -> VectorCase {
            request(id, .reject("request.\(check)"), algorithm) { $0.signing[parameter: "alg"] = .string(name) }
        }
        return [
            request("with-another-key", .reject("request.key"), supplied: other.publicKey),
            request("with-no-key", .reject("request.key"), supplied: [0x30, 0x00]),
            algorithm("rsa-named-for-p256", "rsa-v1_5-sha256", .p256, "key"),
            algorithm("ecdsa-named-for-rsa", "ecdsa-p256-sha256", .rsa(2048), "key"),
            algorithm("of-p384", "ecdsa-p256-sha256", .p384, "key"),
            algorithm("of-p521", "ecdsa-p256-sha256", .p521, "key"),
        ]
    }

    var requestSignature: [VectorCase] {
        func sent(
            _ id: String, hasBody: Bool = false, _ minted: @escaping (inout MintedRequest) -> Void
        ) -> VectorCase {
            request(id, .reject("request.signature"), body: hasBody ? RequestVectors.body : [], minted: minted)
        }
        func bytes(_ id: String, _ change: @escaping ([UInt8]) -> [UInt8]) -> VectorCase {
            sent("signature-\(id)") { $0.changeSignature(change) }
        }
        let created = Int64(time.timeIntervalSince1970.rounded(.down))
        return [
            sent("method-changed") { $0.method = "DELETE" },
            sent("path-changed") { $0.targetURI = "https://api.example.com/v1/orders?id=8" },
            sent("host-changed") { $0.targetURI = "https://api.example.org/v1/orders?id=7" },
            sent("created-changed") {
                $0.changeFields({ $0.replacing("created=\(created)", with: "created=\(created - 1)") }) { $0 }
            },
            sent("digest-and-body-changed", hasBody: true) { request in
                request.body = Array("{}".utf8)
                request[field: "Content-Digest"] =
                    "sha-256=:\(Base64.encode(Digest.sha256(Array("{}".utf8)), .standard)):"
            },
            sent("nonce-added") { $0.changeFields({ $0.replacing(";keyid", with: ";nonce=\"x\";keyid") }) { $0 } },
            bytes("empty") { _ in [] }, bytes("cut") { $0.dropLast() }, bytes("longer") { $0 + [0] },
            bytes("zeros") { _ in [UInt8].zeros(64) }, bytes("halves-exchanged") { $0.suffix(32) + $0.prefix(32) },
            bytes("in-der") { SignatureBytes.der($0) }, bytes("last-bit") { $0.flippingLastBit() },
            request("rsa-signature-changed", .reject("request.signature"), .rsa(2048)) { _ in
            } minted: {
                $0.changeSignature { $0.flippingLastBit() }
            },
        ]
    }

    /// For a policy with `requests.nonce: ledger`.
    var requestNonce: [VectorCase] {
        [
            request("without-nonce", .reject("request.challenge")),
            request("nonce-empty", .reject("request.challenge"), nonce: ""),
            request(
                "nonce-never-issued", .reject("request.challenge"), nonce: Base64.encode([UInt8].zeros(32), .url)),
        ]
    }

    private func attested(
        _ id: String, _ blueprint: AndroidKeyAttestationBlueprint, account: String? = nil
    ) throws(MintingError) -> EvidenceRecord {
        var record = try blueprint.mint().record(
            id: "\(id)-attestation", app: Self.app, expect: VectorOutcome.accept.expectation("android-key.attestation"))
        record.account = account
        return record
    }

    /// An enrolled key signs requests. The ledger accepts each request once.
    func requestSequence() throws(MintingError) -> [EvidenceRecord] {
        let id = "request-sequence"
        let attestation = try attestation(id)
        let first = try blueprint(attestation.key, body: RequestVectors.body).mint()
        var otherForm = first
        otherForm.changeSignature(SignatureBytes.otherForm)
        var forged = first
        forged.method = "PUT"
        let unknown = try key("request-sequence-unknown")
        return [
            try attested(id, attestation), record("\(id)-first", of: first, .accept),
            record("\(id)-first-replayed", of: first, .reject("request.replay")),
            record("\(id)-first-replayed-with-other-s", of: otherForm, .reject("request.replay")),
            record("\(id)-forged", of: forged, .reject("request.signature")),
            record("\(id)-second", of: try blueprint(attestation.key, nonce: "2").mint(), .accept),
            record("\(id)-unknown", of: try blueprint(unknown).mint(), .reject("request.key")),
        ]
    }

    /// For a policy with `maximumAttestationAge: 7d`.
    func requestAge() throws(MintingError) -> [EvidenceRecord] {
        let id = "request-age"
        let attestation = try attestation(id)
        let (week, later) = (7 * Self.day, 7 * Self.day + 1)
        return [
            try attested(id, attestation),
            record(
                "\(id)-a-week", of: try blueprint(attestation.key, delay: week).mint(), .accept, delay: week),
            record(
                "\(id)-a-second-more", of: try blueprint(attestation.key, delay: later).mint(),
                .reject("request.key-state"), delay: later),
        ]
    }

    /// For a policy with `account: required`.
    func requestAccounts() throws(MintingError) -> [EvidenceRecord] {
        let id = "request-accounts"
        let attestation = try attestation(id)
        func request(_ nonce: String) throws(MintingError) -> MintedRequest {
            try blueprint(attestation.key, nonce: nonce).mint()
        }
        return [
            try attested(id, attestation, account: "alice"),
            record("\(id)-of-alice", of: try request("1"), .accept, account: "alice"),
            record("\(id)-of-bob", of: try request("2"), .reject("request.account"), account: "bob"),
            record("\(id)-of-nobody", of: try request("3"), .reject("request.account")),
        ]
    }
}

extension MintedRequest {
    /// Changes the bytes of the signature after signing.
    fileprivate mutating func changeSignature(_ change: ([UInt8]) -> [UInt8]) {
        changeFields({ $0 }) { field in
            let text = field.split(separator: ":", omittingEmptySubsequences: false)
            guard text.count == 3, let bytes = try? Base64.decode(String(text[1]), .standard) else { return field }
            return "\(text[0]):\(Base64.encode(change(bytes), .standard)):"
        }
    }
}

/// Other encodings of ECDSA signatures on P-256.
private enum SignatureBytes {
    /// The order of the curve (SP 800-186 section 3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA,
        0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// SEQUENCE of two INTEGERs.
    static func der(_ signature: [UInt8]) -> [UInt8] {
        func integer(_ bytes: some Sequence<UInt8>) -> [UInt8] {
            var octets = Array(bytes.drop { $0 == 0 })
            if octets.first.map({ $0 >= 0x80 }) ?? true { octets.insert(0, at: 0) }
            return [0x02, UInt8(octets.count)] + octets
        }
        let content = integer(signature.prefix(32)) + integer(signature.suffix(32))
        return [0x30, UInt8(content.count)] + content
    }

    /// The same r, and the order minus s.
    static func otherForm(_ signature: [UInt8]) -> [UInt8] {
        var result = signature
        var borrow = 0
        for index in (0..<32).reversed() {
            let value = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = value < 0 ? 1 : 0
            result[32 + index] = UInt8((value + 256) & 0xFF)
        }
        return result
    }
}
