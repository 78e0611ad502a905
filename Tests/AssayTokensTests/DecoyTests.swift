import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Under `refused: token`, an app cannot find out by a wrong request whether its evidence would be accepted.
struct DecoyTests {
    private let client = TestKey(.p256, seed: "token tests", label: "client")
    private static let secret = Base64.encode((0..<64).map { UInt8($0) }, .standard)

    private static func world(
        _ tokens: String, hasSecret: Bool = true
    ) async throws -> (world: TokenWorld, verifier: Verifier) {
        let world = try await TokenWorld(tokens: "format: approov, refused: token, \(tokens)")
        let account = try ApproovTokenSecret(parts: [ApproovTokenSecret.secretPart: SecretBytes(Array(secret.utf8))])
        let keys = StaticKeyStore(hasSecret ? [NamedKey(name: "account", material: account)] : [])
        return (world, Verifier(policy: world.policy, ledger: world.ledger, keyStores: [world.store, keys]))
    }

    /// What the backend learns, which is all that it can pass on: that there is a token, or the code of the error.
    private static func answer(_ request: TokenRequest, _ verifier: Verifier) async throws -> String {
        do {
            switch try await verifier.issueToken(request, at: TokenWorld.now) {
            case .issued(let token, _), .decoy(let token, _), .concealed(let token, _):
                return "token \(token.scheme.rawValue) \(token.expiresIn)"
            case .rejected(let verdict): return "rejected \(verdict.failed)"
            }
        } catch VerificationError.request(let error) { return error.code }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: String
        var tokens = "testAuthorities: allow"
        var hasSecret = true
        var change: @Sendable (TokenRequest) -> TokenRequest = { $0 }
        var testDescription: String { name }
    }

    private static func other(
        _ request: TokenRequest, audience: String? = nil, challenge: String? = nil, jkt: String? = nil,
        binding: String? = nil, isLimitedUse: Bool = false, hasEAR: Bool = false, namesKey: Bool = true
    ) -> TokenRequest {
        TokenRequest(
            record: request.record, challenge: challenge ?? request.challenge, audience: audience ?? request.audience,
            keyThumbprint: jkt ?? request.keyThumbprint, publicKey: namesKey && jkt == nil ? request.publicKey : nil,
            binding: binding, isLimitedUse: isLimitedUse, hasEAR: hasEAR)
    }

    private static let token = "token Approov-Token 300"
    static let faults = [
        Fault(name: "none", expected: token),
        Fault(name: "an unknown audience", expected: "unknown-audience") { other($0, audience: "stranger") },
        Fault(name: "a thumbprint that is none", expected: "invalid-thumbprint") { other($0, jkt: "AAAA") },
        Fault(name: "no key", expected: "binding-required") { other($0, namesKey: false) },
        Fault(name: "pay that is not base64", expected: "invalid-thumbprint") { other($0, binding: "x") },
        Fault(name: "one use", expected: "not-exchangeable") { other($0, isLimitedUse: true) },
        Fault(name: "an attestation result", expected: "not-exchangeable") { other($0, hasEAR: true) },
        Fault(name: "no secret", expected: "no-key", hasSecret: false),
        // What depends on the evidence has one answer: a token.
        Fault(name: "another audience than the evidence", expected: token) { other($0, audience: "other") },
        Fault(name: "another challenge", expected: token) {
            other($0, challenge: Base64.encode([UInt8](repeating: 1, count: 32), .url))
        },
        Fault(name: "a challenge that is none", expected: token) { other($0, challenge: "x") },
        Fault(name: "pay that the evidence does not cover", expected: token) {
            other($0, binding: Base64.encode([UInt8](repeating: 1, count: 32), .standard))
        },
        Fault(name: "evidence of a test authority that the policy refuses", expected: token, tokens: "key: required"),
    ]

    @Test("a wrong request has one answer, with genuine and with false evidence", arguments: faults)
    func requests(_ fault: Fault) async throws {
        let (world, verifier) = try await Self.world(fault.tokens, hasSecret: fault.hasSecret)
        let genuine = try await world.attestation(client: client, namesKey: true)
        // The chain of the other is of another authority.
        let stranger = try TestAuthority(seed: "stranger", notBefore: TokenWorld.now.addingTimeInterval(-90 * 86_400))
        let challenge = try await world.verifier.issueChallenge(
            app: "shop", for: .appAttestAttestation, at: TokenWorld.now
        ).text
        let derived = TokenRequest.evidenceChallenge(
            challenge, audience: TokenWorld.audience, keyThumbprint: genuine.keyThumbprint)
        let forged = TokenRequest(
            record: try AttestationBlueprint(
                authority: stranger, appID: TokenWorld.appID, clientData: .bytes(derived), issuedAt: TokenWorld.now
            ).mint().record(id: "forged", app: "shop", receivedAt: TokenWorld.now), challenge: challenge,
            audience: TokenWorld.audience, publicKey: client.publicPoint)
        for (name, request) in [("genuine", genuine), ("forged", forged)] {
            let answer = try await Self.answer(fault.change(request), verifier)
            #expect(answer == fault.expected, "\(name)")
        }
    }

    @Test("a record without an app gets the same answers, once its evidence has named the app")
    func withoutApp() async throws {
        let (world, verifier) = try await Self.world("testAuthorities: allow")
        let unreadable = EvidenceRecord(
            id: nil, kind: .appAttestAttestation, app: nil, receivedAt: nil,
            evidence: RecordObject([
                ("keyId", .base64([UInt8](repeating: 1, count: 32))), ("attestation", .base64([0])),
                ("challenge", .base64([0])),
            ]), expect: nil)
        for (audience, expected) in [(TokenWorld.audience, Self.token), ("stranger", "unknown-audience")] {
            let request = TokenRequest(
                record: unreadable, challenge: "x", audience: audience, publicKey: client.publicPoint)
            #expect(try await Self.answer(request, verifier) == expected)
        }
        for label in ["a", "b"] {
            let request = try await world.attestation(
                AttestedKey(seed: "decoys", label: label), client: client, namesKey: true)
            let record = EvidenceRecord(
                id: nil, kind: request.record.kind, app: nil, receivedAt: nil, evidence: request.record.evidence,
                expect: nil)
            let unnamed = TokenRequest(
                record: record, challenge: request.challenge, audience: label == "a" ? "stranger" : request.audience,
                publicKey: request.publicKey)
            let answer = try await Self.answer(unnamed, verifier)
            #expect(answer == (label == "a" ? "unknown-audience" : Self.token))
        }
    }

    @Test("evidence that is not bound to the request is not used up, and its token is worth nothing")
    func concealed() async throws {
        let (world, verifier) = try await Self.world("testAuthorities: allow")
        let request = try await world.attestation(client: client, namesKey: true)
        guard
            case .concealed(let decoy, let error) = try await verifier.issueToken(
                Self.other(request, audience: "other"), at: TokenWorld.now)
        else { return #expect(Bool(false), "not concealed") }
        #expect(error.code == "evidence-not-bound")
        guard case .issued(let genuine, _) = try await verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "the evidence was used up")
        }
        let secret = HMACSHA256Key(SecretBytes(try Base64.decode(Self.secret, .standard)))
        for (token, isGenuine) in [(genuine, true), (decoy, false)] {
            let jws = try CompactJWS(Array(token.text.utf8), limit: 4096)
            #expect((secret.code(for: jws.signingInput) == Array(jws.signature)) == isGenuine)
        }
        // A token without findings: neither a property nor the response code shows what was wrong.
        let payloads = try [genuine, decoy].map { token in
            try #require(
                JSONSerialization.jsonObject(
                    with: Data(CompactJWS(Array(token.text.utf8), limit: 4096).payload)) as? [String: Any])
        }
        #expect(Set(payloads[0].keys) == Set(payloads[1].keys))
        #expect(payloads[0]["arc"] as? String == payloads[1]["arc"] as? String)
        // Both rest on a test authority, and say so.
        for payload in payloads { #expect(payload["anno"] as? [String] == ["test-authority"]) }
    }

    @Test("genuine and rejected evidence are answered after a whole number of ticks")
    func time() async throws {
        let (world, verifier) = try await Self.world("testAuthorities: allow")
        let genuine = try await world.attestation(client: client, namesKey: true)
        let late = try await world.attestation(
            AttestedKey(seed: "other", label: "a"), client: client, namesKey: true, keyProof: { _ in nil },
            at: TokenWorld.now.addingTimeInterval(-86_400 * 30))
        for request in [genuine, late] {
            let clock = ContinuousClock()
            let elapsed = try await clock.measure { _ = try await Self.answer(request, verifier) }
            // A busy machine makes it longer, never shorter.
            #expect(elapsed >= .milliseconds(49), "\(elapsed)")
        }
    }
}
