import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// Requests with an assertion as their HTTP message signature. The vectors cover every check; these tests cover the
/// rest.
struct RequestTests {
    private static let key = AttestedKey()
    private static let body = Array(#"{"amount":42}"#.utf8)

    private static func blueprint(nonce: String? = nil, counter: UInt32 = 1) -> SignedRequestBlueprint {
        var blueprint = SignedRequestBlueprint(
            method: "POST", targetURI: "https://api.example.com/v1/orders",
            evidence: .assertion(key, appID: Fixtures.appID, counter: counter), nonce: nonce, createdAt: Fixtures.now)
        blueprint.body = body
        return blueprint
    }

    private static func request(
        _ blueprint: SignedRequestBlueprint, body: SignedRequest.Body? = nil
    ) throws -> SignedRequest {
        let minted = try blueprint.mint()
        return SignedRequest(
            method: minted.method, targetURI: minted.targetURI,
            fields: minted.headers.map { SignedRequest.Field($0.name, $0.value) }, body: body ?? .bytes(minted.body))
    }

    private static let supplied = AssertionKeys.Supplied(publicKey: key.publicPoint, counter: 0)

    private static func verifier(_ requests: RequestRules? = RequestRules()) throws -> Verifier {
        try Fixtures.verifier(try Fixtures.configuration(requests: requests))
    }

    @Test("The nonce of a request is a challenge of the ledger for requests, used once, as text or base64")
    func nonces() async throws {
        let verifier = try Self.verifier(RequestRules(nonce: .ledger))
        func judge(_ nonce: String?, counter: UInt32) async throws -> Verdict {
            try await verifier.verifyAppAttestRequest(
                try Self.request(Self.blueprint(nonce: nonce, counter: counter)), suppliedKey: Self.supplied,
                at: Fixtures.now)
        }
        let issued = try await verifier.issueChallenge(app: "shop", for: .appAttestRequest, at: Fixtures.now)
        #expect(try await judge(issued.text, counter: 1).failed == [])
        #expect(try await judge(issued.text, counter: 2).failed == [CheckID.appAttestAssertionChallenge])
        let foreign = try await verifier.issueChallenge(app: "shop", for: .appAttestAssertion, at: Fixtures.now)
        #expect(try await judge(foreign.text, counter: 3).failed == [CheckID.appAttestAssertionChallenge])
        #expect(
            try await judge(nil, counter: 4).failed == [
                CheckID.appAttestAssertionClientData, CheckID.appAttestAssertionChallenge,
            ])
    }

    @Test("A rejected request changes neither its nonce nor the counter of its key")
    func rejectionChangesNothing() async throws {
        let verifier = try Self.verifier(RequestRules(nonce: .ledger))
        let issued = try await verifier.issueChallenge(app: "shop", for: .appAttestRequest, at: Fixtures.now)
        let blueprint = Self.blueprint(nonce: issued.text)
        let forged = try Self.request(blueprint, body: .bytes(Array("{}".utf8)))
        let rejected = try await verifier.verifyAppAttestRequest(forged, suppliedKey: Self.supplied, at: Fixtures.now)
        #expect(rejected.failed == [AppAttestRequest.checks.contentDigest])
        let honest = try await verifier.verifyAppAttestRequest(
            try Self.request(blueprint), suppliedKey: Self.supplied, at: Fixtures.now)
        #expect(honest.failed == [])
    }

    @Test("An unread body counts as present, and the verdict has the digests that the caller must compare")
    func unread() async throws {
        let verdict = try await Self.verifier().verifyAppAttestRequest(
            try Self.request(Self.blueprint(), body: .unread), suppliedKey: Self.supplied, at: Fixtures.now)
        #expect(verdict.outcome == .accept)
        let facts = try #require(verdict.appAttest?.request)
        #expect(facts.label == "assay" && facts.components == ["@method", "@target-uri", "content-digest"])
        #expect(facts.contentDigests.map(\.value) == [Digest.sha256(Self.body)])

        var uncovered = Self.blueprint()
        uncovered.contentDigest = ""
        let rejected = try await Self.verifier().verifyAppAttestRequest(
            try Self.request(uncovered, body: .unread), suppliedKey: Self.supplied, at: Fixtures.now)
        #expect(rejected.failed == [AppAttestRequest.checks.components])
    }

    @Test("A property in a field of the request is signed if the signature covers it; it decides nothing")
    func property() async throws {
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", try Fixtures.configuration(requests: RequestRules()))], modes: [:],
            catalogue: Verifier.catalogue, propertyHeader: "X-Client-Property")
        func judge(_ values: [String], isCovered: Bool, record property: String? = nil) async throws -> Verdict {
            var blueprint = Self.blueprint()
            blueprint.fields = values.map { HTTPMessageParts.Field("x-client-property", $0) }
            let components = ["@method", "@target-uri", "content-digest"] + (isCovered ? ["x-client-property"] : [])
            blueprint.signing.components = components.map { SignatureComponent($0) }
            let request = try Self.request(blueprint)
            var record = EvidenceRecord(
                id: nil, kind: .appAttestRequest, app: nil, receivedAt: nil,
                evidence: RecordObject(
                    try request.recordMembers() + [
                        (
                            "key",
                            .object(
                                RecordObject([
                                    ("publicKey", .text(Base64.encode(Self.key.publicPoint, .standard))),
                                    ("counter", .number("0")),
                                ]))
                        )
                    ]), expect: nil)
            record.property = property
            return try await Verifier(policy: policy, ledger: MemoryLedger()).verify(record, at: Fixtures.now)
        }
        let cases: [(values: [String], isCovered: Bool, record: String?, expected: String?)] = [
            (["beta"], true, nil, "beta signed"), (["beta"], false, nil, "beta"),
            (["beta"], true, "gold", "beta signed"),
            (["beta"], false, "gold", "gold"), ([], false, "gold", "gold"), (["a", "b"], false, nil, nil),
            ([String(repeating: "x", count: 129)], true, nil, nil), (["é"], false, nil, nil), ([], false, nil, nil),
        ]
        for row in cases {
            let verdict = try await judge(row.values, isCovered: row.isCovered, record: row.record)
            #expect(verdict.outcome == .accept, "\(row): \(verdict)")
            #expect(verdict.property.map { $0.value + ($0.isSigned ? " signed" : "") } == row.expected, "\(row)")
        }
        // A direct call has the same answer as the record.
        var blueprint = Self.blueprint()
        blueprint.fields = [HTTPMessageParts.Field("X-Client-Property", "beta")]
        let verdict = try await Verifier(policy: policy, ledger: MemoryLedger()).verifyAppAttestRequest(
            try Self.request(blueprint), suppliedKey: Self.supplied, at: Fixtures.now)
        #expect(verdict.property?.value == "beta" && verdict.property?.isSigned == false)
    }

    @Test("A policy without requests, and one with several apps that have them, are errors of the caller")
    func wrongCalls() async throws {
        let request = try Self.request(Self.blueprint())
        await #expect {
            try await Self.verifier(nil).verifyAppAttestRequest(request, at: Fixtures.now)
        } throws: { "\($0)".contains("the policy has no app with appAttest.requests") }
        await #expect {
            try await Self.verifier(nil).verifyAppAttestRequest(request, app: "shop", at: Fixtures.now)
        } throws: { "\($0)".contains("app shop has no appAttest.requests in the policy") }
        let apps = try ["a", "b"].map {
            PolicyApp(name: $0, try Fixtures.configuration(requests: RequestRules()))
        }
        let verifier = Verifier(
            policy: try VerificationPolicy(apps: apps, modes: [:], catalogue: Verifier.catalogue),
            ledger: MemoryLedger())
        await #expect { try await verifier.verifyAppAttestRequest(request, at: Fixtures.now) } throws: {
            "\($0)".contains("2 apps have appAttest.requests: a, b; name the app")
        }
        let named = try await verifier.verifyAppAttestRequest(
            request, suppliedKey: Self.supplied, app: "b", at: Fixtures.now)
        #expect(named.app == "b" && named.outcome == .accept)
    }

    @Test("A record of a request gives the same request again, with its body or the digests of it")
    func records() throws {
        for body in [
            SignedRequest.Body.bytes(Self.body), .bytes([]),
            .digests(sha256: Digest.sha256(Self.body), sha512: Digest.sha512(Self.body)),
        ] {
            let request = try Self.request(Self.blueprint(), body: body)
            let record = try EvidenceRecord(
                appAttestRequest: request, suppliedKey: Self.supplied, id: "r", receivedAt: Fixtures.now)
            let again = try SignedRequest(RecordFields(record.evidence, path: "evidence"))
            #expect(again.fields == request.fields && again.targetURI == request.targetURI)
            #expect("\(again.body)" == "\(request.body)")
        }
        let unread = try Self.request(Self.blueprint(), body: .unread)
        #expect(throws: DecodeError.self) { try EvidenceRecord(appAttestRequest: unread, receivedAt: Fixtures.now) }
    }

    @Test("A replay orders requests and assertions of one key together")
    func order() throws {
        let minted = try Self.blueprint().mint().record(id: "r", receivedAt: Fixtures.now)
        let assertion = try AssertionBlueprint(
            key: Self.key, appID: Fixtures.appID, counter: 1, clientData: .bytes([])
        ).mint().record(id: "a", receivedAt: Fixtures.now)
        #expect(AppAttestEngine.orderingKey(of: minted) == AppAttestEngine.orderingKey(of: assertion))
        #expect(AppAttestEngine.orderingKey(of: minted) != nil)
    }

    @Test(
        "Wrong rules of a policy are errors that name the field",
        arguments: [
            ("label: Assay", "requests.label"), ("label: \"\"", "requests.label"),
            ("components: []", "requests.components"),
            ("components: [\"@signature-params\"]", "requests.components"),
            ("components: [Host]", "requests.components"),
            ("components: [a, a]", "requests.components"), ("freshness: { past: 2d }", "requests.freshness.past"),
            ("nonce: caller", "requests.nonce"), ("body: none", "requests.body"), ("tag: x", "requests.tag"),
        ])
    func policy(_ text: String, _ field: String) {
        let policy = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Fixtures.appID)]
                  environments: [production]
                  challenge: caller
                  clientData: none
                  requests: { \(text) }
            """
        #expect { try PolicyFile.parse(policy, path: "p.yaml") } throws: { error in
            (error as? PolicyError).map { $0.field.contains(field) && $0.line == 9 } ?? false
        }
    }
}
