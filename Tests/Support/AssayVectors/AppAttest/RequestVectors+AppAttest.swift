import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Requests whose signature is an assertion.
extension AppAttestVectorMint {
    private static let targetURI = "https://api.example.com/v1/orders?id=7"

    private func blueprint(_ id: String, counter: UInt32, body: [UInt8] = [], nonce: String? = nil)
        -> SignedRequestBlueprint
    {
        var blueprint = SignedRequestBlueprint(
            method: body.isEmpty ? "GET" : "POST", targetURI: Self.targetURI,
            evidence: .assertion(key(id), appID: Self.appID, counter: counter), nonce: nonce, createdAt: time)
        blueprint.body = body
        return blueprint
    }

    private func record(
        _ id: String, of request: MintedRequest, key: AttestedKey, stored: UInt32?, _ outcome: VectorOutcome
    ) -> EvidenceRecord {
        let supplied: [(String, RecordValue.Content)] =
            stored.map { counter in
                [
                    (
                        "key",
                        .object(
                            RecordObject([
                                ("publicKey", .text(Base64.encode(key.publicPoint, .standard))),
                                ("counter", .number("\(counter)")),
                            ]))
                    )
                ]
            } ?? []
        return request.record(
            id: id, app: Self.app, receivedAt: time, with: supplied, expect: outcome.expectation("app-attest"))
    }

    /// A request that differs from a genuine one in one respect.
    private func request(
        _ id: String, _ outcome: VectorOutcome, counter: UInt32 = 1, body: [UInt8] = [], nonce: String? = nil,
        change: @escaping (inout SignedRequestBlueprint) -> Void = { _ in },
        minted: @escaping (inout MintedRequest) -> Void = { _ in }
    ) -> VectorCase {
        {
            let id = "request-\(id)"
            var blueprint = blueprint(id, counter: counter, body: body, nonce: nonce)
            change(&blueprint)
            var request = try blueprint.mint()
            minted(&request)
            return record(id, of: request, key: key(id), stored: 0, outcome)
        }
    }

    private var cases: RequestVectors {
        RequestVectors(time: time) { id, outcome, body, change, minted in
            request(id, outcome, body: body, change: change, minted: minted)
        }
    }

    var requestAccept: [VectorCase] { cases.accepted }
    var requestDecode: [VectorCase] {
        cases.decode + [
            request("key-id-absent", .reject("request.decode")) { $0.signing[parameter: "keyid"] = nil },
            request("key-id-of-31-bytes", .reject("request.decode")) {
                $0.signing[parameter: "keyid"] = .string(Base64.encode([UInt8].zeros(31), .standard))
            },
            request("key-id-base64url", .reject("request.decode")) {
                $0.signing[parameter: "keyid"] = .string(Base64.encode([UInt8](repeating: 0xFF, count: 32), .url))
            },
        ]
    }
    var requestComponents: [VectorCase] { cases.components }
    var requestFreshness: [VectorCase] { cases.freshness }
    var requestDigests: [VectorCase] {
        cases.digests + [
            {
                let id = "request-digest-not-computed"
                var blueprint = blueprint(id, counter: 1, body: RequestVectors.body)
                blueprint.digests = [.sha512]
                let minted = try blueprint.mint()
                return record(
                    id, of: minted, key: key(id), stored: 0, .reject("request.content-digest")
                ).replacingBody(with: RequestVectors.body, .sha256)
            },
            {
                let id = "request-with-body-digest"
                let minted = try blueprint(id, counter: 1, body: RequestVectors.body).mint()
                return record(id, of: minted, key: key(id), stored: 0, .accept)
                    .replacingBody(with: RequestVectors.body, .sha256)
            },
        ]
    }

    /// Requests that fail the checks of the assertion.
    var requestAssertion: [VectorCase] {
        func sent(
            _ id: String, _ check: String, hasBody: Bool = false, _ minted: @escaping (inout MintedRequest) -> Void
        ) -> VectorCase {
            request(id, .reject("assertion.\(check)"), body: hasBody ? RequestVectors.body : [], minted: minted)
        }
        let other = key("request-other")
        let created = Int64(time.timeIntervalSince1970.rounded(.down))
        return [
            sent("method-changed", "signature") { $0.method = "DELETE" },
            sent("path-changed", "signature") { $0.targetURI = "https://api.example.com/v1/orders?id=8" },
            sent("host-changed", "signature") { $0.targetURI = "https://api.example.org/v1/orders?id=7" },
            sent("created-changed", "signature") {
                $0.changeFields({ $0.replacing("created=\(created)", with: "created=\(created - 1)") }) { $0 }
            },
            sent("digest-and-body-changed", "signature", hasBody: true) { request in
                request.body = Array("{}".utf8)
                request[field: "Content-Digest"] =
                    "sha-256=:\(Base64.encode(Digest.sha256(Array("{}".utf8)), .standard)):"
            },
            sent("nonce-added", "signature") {
                $0.changeFields({ $0.replacing(";keyid", with: ";nonce=\"x\";keyid") }) { $0 }
            },
            sent("assertion-empty", "decode") { $0.changeFields({ $0 }) { _ in "assay=::" } },
            request("of-another-key", .reject("assertion.signature")) {
                $0.changeAssertion = { $0.key = other }
            },
            request("of-another-app", .reject("assertion.app-id")) {
                $0.changeAssertion = { $0.authenticatorData.rpIDHash = Digest.sha256(Array(Self.otherAppID.utf8)) }
            },
            request("counter-0", .reject("assertion.counter"), counter: 0),
        ]
    }

    /// For a policy with `requests.nonce: ledger`.
    var requestNonce: [VectorCase] {
        [
            request("without-nonce", .reject("assertion.client-data", "assertion.challenge")),
            request("nonce-empty", .reject("assertion.client-data", "assertion.challenge"), nonce: ""),
            request(
                "nonce-never-issued", .reject("assertion.challenge"), nonce: Base64.encode([UInt8].zeros(32), .url)),
        ]
    }

    /// Requests and assertions share the counter of their key.
    func requestSequence() throws(MintingError) -> [EvidenceRecord] {
        let id = "request-sequence"
        var records = [
            try attestation(id).mint().record(
                id: "\(id)-attestation", app: Self.app,
                expect: VectorOutcome.accept.expectation("app-attest.attestation"))
        ]
        func add(_ name: String, _ request: MintedRequest, _ outcome: VectorOutcome) {
            records.append(record("\(id)-\(name)", of: request, key: key(id), stored: nil, outcome))
        }
        let first = try blueprint(id, counter: 1, body: RequestVectors.body).mint()
        add("first", first, .accept)
        add("first-replayed", first, .reject("assertion.counter"))
        var forged = try blueprint(id, counter: 9, body: RequestVectors.body).mint()
        forged.method = "PUT"
        add("forged", forged, .reject("assertion.signature"))
        records.append(
            try assertion(id, counter: 2).mint().record(
                id: "\(id)-assertion", app: Self.app, receivedAt: time,
                expect: VectorOutcome.accept.expectation("app-attest.assertion")))
        add("second-late", try blueprint(id, counter: 2).mint(), .reject("assertion.counter"))
        add("third", try blueprint(id, counter: 3).mint(), .accept)
        let unknown = "request-sequence-unknown"
        records.append(
            record(
                unknown, of: try blueprint(unknown, counter: 1).mint(), key: key(unknown), stored: nil,
                .reject("assertion.key")))
        return records
    }
}

extension EvidenceRecord {
    /// The record with the digest of its body instead of the body.
    func replacingBody(with body: [UInt8], _ algorithm: ContentDigest.Algorithm) -> EvidenceRecord {
        let digest: [(String, RecordValue.Content)] = [
            (algorithm.rawValue, .text(Base64.encode(algorithm.digest(of: body[...]), .standard)))
        ]
        let members = evidence.members.map { member -> (String, RecordValue.Content) in
            member.name == "body"
                ? (SignedRequest.digestField, .object(RecordObject(digest))) : (member.name, member.value.content)
        }
        return EvidenceRecord(
            id: id, kind: kind, app: app, account: account, receivedAt: receivedAt, evidence: RecordObject(members),
            expect: expect)
    }
}
