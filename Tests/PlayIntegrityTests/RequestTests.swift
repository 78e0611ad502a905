import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity
import Synchronization
import Testing

/// Requests with a standard token as their HTTP message signature. The vectors cover every check; these tests cover the
/// rest.
struct RequestTests {
    private static func request(
        nonce: String? = nil, token: String = FixedDecoder.token,
        _ change: (inout SignedRequestBlueprint) -> Void = { _ in }
    ) throws -> (request: SignedRequest, hash: String) {
        var blueprint = SignedRequestBlueprint(
            method: "GET", targetURI: "https://api.example.com/v1/orders", evidence: .integrityToken(token),
            nonce: nonce, createdAt: Fixtures.now)
        change(&blueprint)
        let minted = try blueprint.mint()
        let request = SignedRequest(
            method: minted.method, targetURI: minted.targetURI,
            fields: minted.headers.map { SignedRequest.Field($0.name, $0.value) }, body: .bytes(minted.body))
        return (request, minted.requestHash)
    }

    private static func answer(_ hash: String) -> JSON {
        var payload = Fixtures.standard
        payload["requestDetails.requestHash"] = .text(hash)
        return payload
    }

    private static func verifier(
        _ rules: RequestRules? = RequestRules(), _ services: [any EngineService] = []
    ) throws -> Verifier {
        try Fixtures.verifier(try Fixtures.configuration(requests: rules), services: services)
    }

    @Test("The token of a request is sent to Google with the app's package name, and accepted once")
    func asked() async throws {
        let (request, hash) = try Self.request()
        let decoder = FixedDecoder(Self.answer(hash))
        let verifier = try Self.verifier(RequestRules(), [decoder])
        let first = try await verifier.verifyPlayIntegrityRequest(request, at: Fixtures.now)
        #expect(first.failed == [] && first.playIntegrity?.request?.label == "assay")
        let again = try await verifier.verifyPlayIntegrityRequest(request, at: Fixtures.now)
        #expect(again.failed == [CheckID.playIntegrityChallenge])
        #expect(decoder.asked.withLock { $0 }.first == "\(FixedDecoder.token) \(Fixtures.packageName) android")
        // The token by itself is rejected too.
        let alone = try await verifier.verify(
            StandardIntegrityInput(
                packageName: Fixtures.packageName, requestHash: hash, evidence: .token(FixedDecoder.token)),
            at: Fixtures.now)
        #expect(alone.failed == [CheckID.playIntegrityChallenge])
    }

    @Test("A request that is already rejected causes no call to Google")
    func notAsked() async throws {
        let changes: [(inout SignedRequestBlueprint) -> Void] = [
            { $0.signing[parameter: "created"] = .integer(1) }, { $0.signing.components = [] },
            { $0.targetURI += "#x" }, { $0.signing.label = "other" },
        ]
        for change in changes {
            let (request, hash) = try Self.request(change)
            let decoder = FixedDecoder(Self.answer(hash))
            let verdict = try await Self.verifier(RequestRules(), [decoder])
                .verifyPlayIntegrityRequest(request, at: Fixtures.now)
            #expect(verdict.failed.count == 1 && verdict.failed[0].name.hasPrefix("play-integrity.request."))
            #expect(
                verdict.checks.count == PlayIntegrityRequest.checks.catalogue.count
                    + PlayIntegrityCheck.standardChecks.count + 1)
            #expect(verdict.checks.last?.check == CheckID.playIntegrityChallenge)
            #expect(decoder.asked.withLock { $0 } == [])
        }
    }

    @Test("The nonce of a request is a challenge of the ledger for requests, used once")
    func nonces() async throws {
        let verifier = try Self.verifier(RequestRules(nonce: .ledger))
        func judge(_ nonce: String?, token: String) async throws -> [CheckID] {
            let (request, hash) = try Self.request(nonce: nonce, token: token)
            let answer = IntegrityAnswer(json: Array(FixedDecoder.body(Self.answer(hash)).utf8))
            return try await verifier.verifyPlayIntegrityRequest(request, answer: answer, at: Fixtures.now).failed
        }
        let issued = try await verifier.issueChallenge(app: "shop", for: .playIntegrityRequest, at: Fixtures.now)
        #expect(try await judge(issued.text, token: "AAAA") == [])
        #expect(try await judge(issued.text, token: "BBBB") == [CheckID.playIntegrityChallenge])
        let foreign = try await verifier.issueChallenge(app: "shop", for: .playIntegrityClassic, at: Fixtures.now)
        #expect(try await judge(foreign.text, token: "CCCC") == [CheckID.playIntegrityChallenge])
    }

    @Test("A policy without requests is an error of the caller")
    func wrongCalls() async throws {
        let (request, _) = try Self.request()
        await #expect {
            try await Self.verifier(nil).verifyPlayIntegrityRequest(request, at: Fixtures.now)
        } throws: { "\($0)".contains("the policy has no app with playIntegrity.requests") }
    }

    @Test("A record of a request gives the same request and answer again")
    func records() throws {
        let (request, hash) = try Self.request()
        let answer = IntegrityAnswer(json: Array(FixedDecoder.body(Self.answer(hash)).utf8))
        let record = try EvidenceRecord(
            playIntegrityRequest: request, answer: answer, id: "r", receivedAt: Fixtures.now)
        #expect(record.evidence["decoded"] != nil)
        #expect(PlayIntegrityEngine.orderingKey(of: record) != nil)
    }
}
