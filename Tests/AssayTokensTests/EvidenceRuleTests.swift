import AndroidKey
import AppAttest
import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import AssayTokens
import Foundation
import PlayIntegrity
import Testing

/// A token is given only for evidence that a platform signed, or that Google answered to this verifier: for every kind, in every format.
struct EvidenceRuleTests {
    /// Who stands for the evidence of a case.
    enum Voucher: Sendable {
        /// The platform, here a test authority.
        case testAuthority
        /// Google.
        case google
        /// The writer of the record alone.
        case caller
        /// The device, which states that it has none.
        case client
        /// The kind is never exchanged.
        case none
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: EvidenceKind
        let voucher: Voucher
        let name: String
        let make: @Sendable (EvidenceWorld, EvidenceWorld.Binding) async throws -> EvidenceRecord
        var testDescription: String { "\(kind) \(name)" }

        init(
            _ kind: EvidenceKind, _ voucher: Voucher, _ name: String,
            _ make: @escaping @Sendable (EvidenceWorld, EvidenceWorld.Binding) async throws -> EvidenceRecord
        ) {
            (self.kind, self.voucher, self.name, self.make) = (kind, voucher, name, make)
        }
    }

    static let cases: [Case] = [
        Case(.appAttestAttestation, .testAuthority, "attested") { try $0.attestation($1) },
        Case(.appAttestAssertion, .testAuthority, "with an enrolled key") { world, binding in
            try await world.enrol()
            return try world.assertion(binding, isSupplied: false)
        },
        Case(.appAttestAssertion, .caller, "with a supplied key") { try $0.assertion($1, isSupplied: true) },
        Case(.appAttestAssertion, .caller, "with a key that an assertion supplied before") { world, binding in
            let first = try await world.binding(.appAttestAssertion, client: nil)
            let verdict = try await world.verifier.verify(
                world.assertion(first, isSupplied: true, consumes: first.challenge), at: TokenWorld.now)
            #expect(verdict.outcome == .accept, "\(verdict.failed)")
            return try world.assertion(binding, isSupplied: false, counter: 2)
        },
        Case(.appAttestRequest, .testAuthority, "with an enrolled key") { world, binding in
            try await world.enrol()
            return try world.assertedRequest(binding, isSupplied: false)
        },
        Case(.appAttestRequest, .caller, "with a supplied key") { try $0.assertedRequest($1, isSupplied: true) },
        Case(.androidKeyAttestation, .testAuthority, "attested") { try $0.keyAttestation($1) },
        Case(.androidKeyRequest, .testAuthority, "with an enrolled key") { world, binding in
            try await world.enrolAndroidKey()
            return try world.signedRequest(binding, isSupplied: false)
        },
        Case(.androidKeyRequest, .caller, "with a supplied key") { try $0.signedRequest($1, isSupplied: true) },
        Case(.playIntegrityClassic, .google, "opened with the app's keys") { try $0.classicToken($1) },
        Case(.playIntegrityClassic, .caller, "decoded") { try $0.classicAnswer($1) },
        Case(.playIntegrityStandard, .google, "answered to the verifier") { try $0.standard($1, isDecoded: false) },
        Case(.playIntegrityStandard, .caller, "decoded") { try $0.standard($1, isDecoded: true) },
        Case(.playIntegrityRequest, .google, "answered to the verifier") {
            try $0.integrityRequest($1, isDecoded: false)
        },
        Case(.playIntegrityRequest, .caller, "decoded") { try $0.integrityRequest($1, isDecoded: true) },
        Case(.noEvidence, .client, "stated") { _, _ in
            EvidenceRecord(
                DeviceStatementInput(reason: "unsupported"), id: "none", app: "shop", receivedAt: TokenWorld.now)
        },
        Case(.mitmCertificate, .testAuthority, "carried by an attestation") { try $0.certificate($1) },
        Case(.approovToken, .none, "signed with the account's secret") { world, _ in try world.approovToken() },
    ]

    /// Kinds that contain no challenge of a request for a token, so that no evidence of them can be bound to one. Their assessments keep
    /// the voucher of an engine that says nothing: the caller.
    private static let unbound = Set(
        ["app-attest.receipt", "approov.message", "approov.text", "approov.proof", "assay.token"].map {
            EvidenceKind($0)
        })

    @Test("the cases are of every kind, so that a new one needs a decision")
    func everyKind() {
        #expect(Set(Self.cases.map(\.kind)).union(Self.unbound) == Set(Verifier.kinds))
        #expect(Set(Self.cases.map(\.kind)).isDisjoint(with: Self.unbound))
    }

    private static let formats = [
        "format: assay", "format: assay, callerEvidence: allow", "format: assay, noEvidence: allow", "format: approov",
        "format: approov, refused: token",
        "format: oauth-client-attestation, clientID: shop",
    ]

    @Test(
        "a token needs a platform behind its evidence; another's word gives one only where the policy says so, with a mark in env",
        arguments: cases)
    func rule(_ evidence: Case) async throws {
        for format in Self.formats {
            let world = try await EvidenceWorld(tokens: format, hasClassicKeys: evidence.voucher == .google)
            let client = TestKey(.p256, seed: "token tests", label: "client")
            let binding = try await world.binding(evidence.kind, client: client)
            let record = try await evidence.make(world, binding)
            // The evidence itself is accepted: the rule is about the token.
            let assessment = try await world.verifier.assess(record, ledger: world.ledger, at: TokenWorld.now)
            #expect(assessment.isAcceptable, "\(format): \(assessment.checks.filter { $0.status == .failed })")
            let request = TokenRequest(
                record: record, challenge: binding.challengeText, audience: TokenWorld.audience,
                publicKey: client.publicPoint,
                keyProof: try TokenWorld.keyProof(client, challenge: binding.challengeText))
            let answer = try await Self.answer(request, world.verifier)
            let isAssay = format.hasPrefix("format: assay")
            let expected =
                switch evidence.voucher {
                case .testAuthority: isAssay || format.contains("oauth") ? "issued test" : "issued"
                case .google: "issued"
                case .caller where format.contains("callerEvidence"):
                    // The ledger holds the supplied key under the test authority of the policy, which is a mark as well.
                    assessment.testAuthority == nil ? "issued caller" : "issued test"
                case .client where format.contains("noEvidence"): "issued none"
                case .caller, .client, .none:
                    format.contains("refused") ? "concealed not-exchangeable" : "not-exchangeable"
                }
            #expect(answer == expected, "\(format)")
        }
    }

    @Test(
        "where a nonce need be no challenge, a request that covers the one for a token gives one token, and no other does",
        arguments: cases.filter { $0.kind.name.hasSuffix(".request") && $0.voucher != .caller })
    func signedRequest(_ evidence: Case) async throws {
        let world = try await EvidenceWorld(
            tokens: "format: assay", nonce: "any", hasClassicKeys: evidence.voucher == .google)
        let client = TestKey(.p256, seed: "token tests", label: "client")
        let binding = try await world.binding(evidence.kind, client: client, isIssued: false)
        let record = try await evidence.make(world, binding)
        func answer(
            to record: EvidenceRecord, _ challenge: String, of client: TestKey
        ) async throws -> String {
            try await Self.answer(
                TokenRequest(
                    record: record, challenge: challenge, audience: TokenWorld.audience,
                    publicKey: client.publicPoint), world.verifier)
        }
        // A relay that has the token bound to a key of its own, and other challenges.
        let thief = TestKey(.p256, seed: "token tests", label: "thief")
        #expect(try await answer(to: record, binding.challengeText, of: thief) == "evidence-not-bound")
        for challenge in [Base64.encode([UInt8](repeating: 8, count: 32), .url), "short"] {
            #expect(try await answer(to: record, challenge, of: client) == "evidence-not-bound")
        }
        // None of these has used the evidence up.
        let issued = try await answer(to: record, binding.challengeText, of: client)
        #expect(issued == (evidence.voucher == .google ? "issued" : "issued test"))
        #expect(try await answer(to: record, binding.challengeText, of: client).hasPrefix("rejected ["))
    }

    /// What a request for a token gets: `issued` with `env` if the token has it, or the code of the refusal.
    private static func answer(_ request: TokenRequest, _ verifier: Verifier) async throws -> String {
        do {
            switch try await verifier.issueToken(request, at: TokenWorld.now) {
            case .issued(let token, _):
                guard let jws = try? CompactJWS(Array(token.text.utf8), limit: 4096),
                    let claims = try JSONSerialization.jsonObject(with: Data(jws.payload)) as? [String: Any],
                    let environment = claims["env"] as? String
                else { return "issued" }
                return "issued \(environment)"
            case .rejected(let verdict): return "rejected \(verdict.failed)"
            case .decoy(_, let verdict): return "decoy \(verdict.failed)"
            case .concealed(_, let error): return "concealed \(error.code)"
            }
        } catch VerificationError.request(let error) { return error.code }
    }

    @Test(
        "under certificates.required, evidence without the certificate that the app saw gives no token, and is not used up"
    )
    func certificateRequired() async throws {
        let world = try await EvidenceWorld(
            tokens: "format: assay", hasClassicKeys: false, certificates: "required: yes")
        let client = TestKey(.p256, seed: "token tests", label: "client")
        let binding = try await world.binding(.appAttestAttestation, client: client)
        func answer(_ record: EvidenceRecord) async throws -> String {
            try await Self.answer(
                TokenRequest(
                    record: record, challenge: binding.challengeText, audience: TokenWorld.audience,
                    publicKey: client.publicPoint), world.verifier)
        }
        #expect(try await answer(world.attestation(binding)) == "not-exchangeable")
        #expect(
            try await answer(world.certificate(binding, seen: [0x30, 0x00])) == "rejected [mitm.certificate.decode]")
        let proxy = try EvidenceWorld.leaf("proxy")
        #expect(try await answer(world.certificate(binding, seen: proxy)) == "rejected [mitm.certificate.leaf]")
        // The certificate of the host in place of the proxy's: the evidence does not cover it.
        #expect(
            try await answer(world.certificate(binding, covering: proxy)) == "rejected [mitm.certificate.binding]")
        #expect(try await answer(world.certificate(binding)) == "issued test")
        #expect(try await answer(world.certificate(binding)).hasPrefix("rejected ["))
    }

    @Test("the caller's word has no attestation result, and a format without a claim for it does not allow it")
    func callerRules() async throws {
        let world = try await EvidenceWorld(tokens: "callerEvidence: allow, ear: allow", hasClassicKeys: false)
        let client = TestKey(.p256, seed: "token tests", label: "client")
        let binding = try await world.binding(.playIntegrityStandard, client: client)
        let request = TokenRequest(
            record: try world.standard(binding, isDecoded: true), challenge: binding.challengeText,
            audience: TokenWorld.audience, publicKey: client.publicPoint, hasEAR: true)
        #expect(try await Self.answer(request, world.verifier) == "not-exchangeable")
        for format in ["approov", "oauth-client-attestation, clientID: a"] {
            let error = await #expect(throws: PolicyError.self) {
                _ = try await EvidenceWorld(tokens: "format: \(format), callerEvidence: allow", hasClassicKeys: false)
            }
            #expect(error?.field.hasSuffix("tokens.callerEvidence") == true, "\(error as Any)")
        }
    }

    @Test(
        "a token of the caller's word is accepted where the policy allows it, and nowhere else",
        .produces("assay.token.claims", "caller-evidence"))
    func acceptance() async throws {
        let lax = try await EvidenceWorld(
            tokens: "callerEvidence: allow, key: optional", hasClassicKeys: false)
        let binding = try await lax.binding(.playIntegrityStandard, client: nil)
        let request = TokenRequest(
            record: try lax.standard(binding, isDecoded: true), challenge: binding.challengeText,
            audience: TokenWorld.audience)
        guard case .issued(let token, _) = try await lax.verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        for (rules, expected) in [
            ("callerEvidence: allow", "accept"), ("callerEvidence: refuse", "claims caller-evidence"),
            ("testAuthorities: allow", "claims caller-evidence"),
        ] {
            let policy = try await TokenWorld(tokens: "key: optional, \(rules)").policy
            let verifier = Verifier(policy: policy, ledger: MemoryLedger(), keyStores: [lax.store])
            let signed = SignedRequestFixture.bearer(token.text)
            let verdict = try await verifier.verifyTokenRequest(signed, at: TokenWorld.now)
            #expect(outcome(verdict) == expected, "\(rules)")
            #expect(verdict.subject?.fields.contains(SubjectField("env", .text("caller"))) == true)
        }
    }

    private static func withoutEvidence(
        _ world: EvidenceWorld, account: String? = nil, keyThumbprint: String? = nil, hasEAR: Bool = false,
        challenge: String = "any text", reason: String = "unsupported"
    ) -> TokenRequest {
        TokenRequest(
            record: EvidenceRecord(
                DeviceStatementInput(reason: reason), app: "shop", account: account, receivedAt: TokenWorld.now),
            challenge: challenge, audience: TokenWorld.audience, keyThumbprint: keyThumbprint, hasEAR: hasEAR)
    }

    @Test(
        "a device without evidence has no attestation result, and a format without a claim for it does not allow its tokens"
    )
    func noEvidenceRules() async throws {
        let world = try await EvidenceWorld(
            tokens: "noEvidence: allow, ear: allow, key: optional", hasClassicKeys: false)
        #expect(try await Self.answer(Self.withoutEvidence(world), world.verifier) == "issued none")
        #expect(try await Self.answer(Self.withoutEvidence(world, hasEAR: true), world.verifier) == "not-exchangeable")
        #expect(
            try await Self.answer(Self.withoutEvidence(world, reason: "failed"), world.verifier)
                == "rejected [none.reason]")
        for format in ["approov", "oauth-client-attestation, clientID: a"] {
            let error = await #expect(throws: PolicyError.self) {
                _ = try await EvidenceWorld(tokens: "format: \(format), noEvidence: allow", hasClassicKeys: false)
            }
            #expect(error?.field.hasSuffix("tokens.noEvidence") == true, "\(error as Any)")
        }
        let bound = try await EvidenceWorld(tokens: "noEvidence: allow", hasClassicKeys: false)
        #expect(try await Self.answer(Self.withoutEvidence(bound), bound.verifier) == "binding-required")
    }

    @Test(
        "a token without evidence lists the note, is accepted and noted where the policy allows it, and nowhere else",
        .produces("assay.token.claims", "no-evidence-refused", "no-evidence"))
    func noEvidenceAcceptance() async throws {
        let lax = try await EvidenceWorld(tokens: "noEvidence: allow, key: optional", hasClassicKeys: false)
        let request = Self.withoutEvidence(lax, account: "alice")
        guard case .issued(let token, _) = try await lax.verifier.issueToken(request, at: TokenWorld.now) else {
            return #expect(Bool(false), "no token")
        }
        let signed = SignedRequestFixture.bearer(token.text)
        for (rules, expected) in [
            ("noEvidence: allow", "accept"), ("noEvidence: refuse", "claims no-evidence-refused"),
            ("testAuthorities: allow, callerEvidence: allow", "claims no-evidence-refused"),
        ] {
            let policy = try await TokenWorld(tokens: "key: optional, \(rules)").policy
            let verifier = Verifier(policy: policy, ledger: MemoryLedger(), keyStores: [lax.store])
            let verdict = try await verifier.verifyTokenRequest(signed, at: TokenWorld.now)
            #expect(outcome(verdict) == expected, "\(rules)")
            #expect(verdict.annotated == (expected == "accept" ? [.assayTokenClaims] : []))
            #expect(verdict.assayToken?.environment == "none")
            #expect(verdict.assayToken?.attestationAnnotated == ["none.evidence"])
            #expect(verdict.testAuthority == nil)
        }
        // A block of the account reaches the token.
        try await lax.ledger.block(
            LedgerBlock(
                subject: LedgerSubject(.account, "alice"), reason: "fraud", since: TokenWorld.now, until: nil))
        let blocked = try await lax.verifier.verifyTokenRequest(signed, at: TokenWorld.now)
        #expect(blocked.failed == [.assayTokenSubject], "\(blocked.failed)")
        let again = try await Self.answer(request, lax.verifier)
        #expect(again == "rejected [none.account]")
    }

    @Test("without a rule, an app with tokens takes answers from Google alone, also without a client of Google")
    func answersInForce() async throws {
        for (answers, tokens, isAccepted) in [("", true, false), ("answers: caller", true, true), ("", false, true)] {
            let world = try await EvidenceWorld(
                tokens: tokens ? "key: optional" : nil, answers: answers, hasClassicKeys: false, hasDecoder: false)
            let challenge = Base64.encode([UInt8](repeating: 3, count: 32), .url)
            let binding = EvidenceWorld.Binding(
                challengeText: challenge,
                derived: TokenRequest.evidenceChallenge(
                    challenge, audience: TokenWorld.audience, keyThumbprint: nil))
            let verdict = try await world.verifier.verify(
                try world.standard(binding, isDecoded: true), at: TokenWorld.now)
            #expect((verdict.outcome == .accept) == isAccepted, "\(answers) \(tokens): \(verdict.failed)")
            // A replay gives no tokens: it takes what was captured.
            let replay = Verifier(
                policy: world.verifier.policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
            let replayed = try await replay.verify(try world.standard(binding, isDecoded: true), at: TokenWorld.now)
            #expect(replayed.outcome == .accept, "\(answers) \(tokens): \(replayed.failed)")
            // The start of a service says so wherever the caller's word counts.
            #expect(world.verifier.warnings.isEmpty != isAccepted, "\(world.verifier.warnings)")
            #expect(world.verifier.warnings.allSatisfy { $0.contains("answers") && $0.contains("shop") })
        }
    }
}
