import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import PlayIntegrity
import Synchronization
import Testing

/// A nonce is used once. A standard token is used once inside its window.
@Suite("Play Integrity single use")
struct LedgerTests {
    private func classic(_ verifier: Verifier, nonce: String, given: String? = nil) async throws -> Verdict {
        var payload = Fixtures.android
        payload["requestDetails.nonce"] = .text(nonce)
        let token = try Fixtures.keys.token(Array(payload.rendered.utf8))
        let input = ClassicIntegrityInput(
            token: token, packageName: Fixtures.packageName, nonce: given ?? nonce)
        return try await verifier.verify(input, at: Fixtures.now)
    }

    private func verifier() throws -> Verifier {
        try Fixtures.verifier(Fixtures.configuration(challenge: .ledger))
    }

    @Test(
        "The ledger's challenge is a valid nonce once: as printed, in the other alphabet or encoded again",
        .produces("play-integrity.challenge", "challenge-consumed"))
    func forms() async throws {
        let verifier = try verifier()
        for form in 0..<3 {
            let issued = try await verifier.issueChallenge(
                app: "shop", for: EvidenceKind.playIntegrityClassic, at: Fixtures.now)
            let forms = [
                issued.text, Base64.encode(issued.value, .standard), Base64.encode(Array(issued.text.utf8), .url),
            ]
            #expect(try await classic(verifier, nonce: forms[form]).failed == [])
            for other in forms {
                let again = try await classic(verifier, nonce: other)
                #expect(again.failed == [CheckID.playIntegrityChallenge])
                #expect(again.code(CheckID.playIntegrityChallenge) == "challenge-consumed")
            }
        }
    }

    @Test("A nonce that binds a challenge and a request is compared with both, and its challenge is used once")
    func boundNonce() async throws {
        let verifier = try verifier()
        let hash = Digest.sha256(Array("transfer 100 to 42".utf8))
        func judge(_ challenge: [UInt8], _ hash: [UInt8], token: String) async throws -> Verdict {
            let input = ClassicIntegrityInput(
                .token(token), packageName: Fixtures.packageName, challenge: challenge, requestHash: hash)
            let record = try EvidenceRecord(input, receivedAt: Fixtures.now)
            return try await verifier.verify(record, at: Fixtures.now)
        }
        func token(_ nonce: String) throws -> String {
            var payload = Fixtures.android
            payload["requestDetails.nonce"] = .text(nonce)
            return try Fixtures.keys.token(Array(payload.rendered.utf8))
        }
        let issued = try await verifier.issueChallenge(
            app: "shop", for: EvidenceKind.playIntegrityClassic, at: Fixtures.now)
        let nonce = ClassicIntegrityInput.nonce(binding: issued.value, to: hash)
        let other = Digest.sha256(Array("transfer 900 to 42".utf8))
        #expect(try await judge(issued.value, other, token: token(nonce)).failed == [CheckID.playIntegrityNonce])
        #expect(try await judge([1], hash, token: token(nonce)).failed == [CheckID.playIntegrityNonce])
        let unbound = try await judge(issued.value, hash, token: token(issued.text))
        #expect(unbound.failed == [CheckID.playIntegrityNonce])
        #expect(try await judge(issued.value, hash, token: token(nonce)).failed == [])
        let again = try await judge(
            issued.value, other, token: token(ClassicIntegrityInput.nonce(binding: issued.value, to: other)))
        #expect(again.failed == [CheckID.playIntegrityChallenge])
        #expect(again.code(CheckID.playIntegrityChallenge) == "challenge-consumed")
        // The ledger has not issued the nonce itself.
        #expect(try await classic(verifier, nonce: nonce).code(CheckID.playIntegrityChallenge) == "challenge-unknown")
    }

    @Test("The composition is SHA-256 of challenge and hash, both with their required lengths")
    func composition() throws {
        let hash = [UInt8](repeating: 0, count: 32)
        #expect(
            ClassicIntegrityInput.nonce(binding: Array("abc".utf8), to: hash)
                == Base64.encode(Digest.sha256(Array("abc".utf8) + hash), .url))
    }

    @Test("A nonce, challenge or hash of another form is malformed evidence; a record cannot have it")
    func malformedBindings() async throws {
        let hash = [UInt8](repeating: 0, count: 32)
        let token = StandardIntegrityInput.Evidence.token(try Fixtures.classicToken())
        let answer = StandardIntegrityInput.Evidence.decoded(
            IntegrityAnswer(json: Array(FixedDecoder.body(Fixtures.android).utf8)))
        let name = Fixtures.packageName
        let inputs: [(ClassicIntegrityInput, code: String)] = [token, answer].flatMap { evidence in
            [
                (ClassicIntegrityInput(evidence, packageName: name, nonce: "short"), "unexpected-length"),
                (
                    ClassicIntegrityInput(evidence, packageName: name, nonce: Fixtures.nonce.dropLast() + "*"),
                    "malformed"
                ),
                (
                    ClassicIntegrityInput(evidence, packageName: name, challenge: [], requestHash: hash),
                    "unexpected-length"
                ),
                (
                    ClassicIntegrityInput(
                        evidence, packageName: name, challenge: [UInt8](repeating: 0, count: 501), requestHash: hash),
                    "unexpected-length"
                ),
                (
                    ClassicIntegrityInput(evidence, packageName: name, challenge: [1], requestHash: [2]),
                    "unexpected-length"
                ),
            ]
        }
        let decoder = FixedDecoder(Fixtures.android)
        let verifiers = [
            try Fixtures.verifier(),
            try Fixtures.verifier(Fixtures.configuration(classicTokens: .google), keys: [], services: [decoder]),
        ]
        for (input, code) in inputs {
            for verifier in verifiers {
                let verdict = try await verifier.verify(input, at: Fixtures.now)
                #expect(verdict.failed == [CheckID.playIntegrityDecode])
                #expect(verdict.code(CheckID.playIntegrityDecode) == code)
                #expect(verdict.checks.count == PlayIntegrityCheck.classicChecks.count + 1)
            }
            #expect(throws: DecodeError.self) { try EvidenceRecord(input, receivedAt: Fixtures.now) }
        }
        #expect(decoder.asked.withLock { $0 } == [])
    }

    @Test("A nonce may return in another alphabet or with padding: it is compared as bytes")
    func alphabets() async throws {
        let verifier = try Fixtures.verifier()
        let bytes = [UInt8](repeating: 0xFF, count: 13)
        let forms = [
            Base64.encode(bytes, .url), Base64.encode(bytes, .url) + "==", Base64.encode(bytes, .standard),
            String(Base64.encode(bytes, .standard).dropLast(2)),
        ]
        for sent in forms {
            for given in forms {
                #expect(try await classic(verifier, nonce: sent, given: given).failed == [])
            }
            let other = Base64.encode([UInt8](repeating: 0xFF, count: 14), .url)
            #expect(try await classic(verifier, nonce: sent, given: other).failed == [CheckID.playIntegrityNonce])
        }
        for malformed in [forms[0] + "=", forms[0] + "===", "+-" + forms[0], forms[0].dropLast() + "B"] {
            #expect(
                try await classic(verifier, nonce: String(malformed), given: forms[0]).failed
                    == [CheckID.playIntegrityNonce])
        }
    }

    @Test(
        "A challenge that was never issued, has expired, or has another purpose fails only the challenge check",
        .produces("play-integrity.challenge", "challenge-expired", "challenge-mismatch"))
    func refused() async throws {
        let verifier = try verifier()
        let foreign = IssuedChallenge.random(app: "shop", for: .appAttestAttestation, validFor: 60, at: Fixtures.now)
        try await verifier.ledger.issue(foreign, at: Fixtures.now)
        let expired = try await verifier.issueChallenge(
            app: "shop", for: EvidenceKind.playIntegrityClassic, validFor: 60, at: Fixtures.now.addingTimeInterval(-60))
        for (nonce, code) in [
            (foreign.text, "challenge-mismatch"), (expired.text, "challenge-expired"),
            (Fixtures.nonce, "challenge-unknown"),
        ] {
            let verdict = try await classic(verifier, nonce: nonce)
            #expect(verdict.failed == [CheckID.playIntegrityChallenge])
            #expect(verdict.code(CheckID.playIntegrityChallenge) == code)
        }
    }

    @Test("A rejected token consumes no challenge")
    func rejection() async throws {
        let verifier = try verifier()
        let issued = try await verifier.issueChallenge(
            app: "shop", for: EvidenceKind.playIntegrityClassic, at: Fixtures.now)
        #expect(
            try await classic(verifier, nonce: Fixtures.nonce, given: issued.text).failed == [
                CheckID.playIntegrityNonce
            ])
        #expect(try await classic(verifier, nonce: issued.text).failed == [])
    }

    @Test("With challenge: caller, the ledger is not used, and a nonce may occur again")
    func caller() async throws {
        let verifier = try Fixtures.verifier()
        for _ in 0..<2 {
            let verdict = try await classic(verifier, nonce: Fixtures.nonce)
            #expect(verdict.outcome == .accept)
            #expect(verdict.result(CheckID.playIntegrityChallenge)?.because == .policy)
        }
    }

    @Test("A standard answer is accepted once inside its window, including its end, for every spelling of its JSON")
    func standard() async throws {
        for (first, second) in [(0, 0), (0, 300_000), (-60_000, 300_000), (300_000, 300_000), (299_999, 300_000)] {
            let verifier = try Fixtures.verifier()
            func judge(_ payload: JSON, _ age: Int) async throws -> Verdict {
                try await verifier.verify(
                    Fixtures.answer(payload), at: Date(timeIntervalSince1970: Double(1_790_000_000_000 + age) / 1000))
            }
            #expect(try await judge(Fixtures.standard, first).outcome == .accept)
            let again = try await judge(Fixtures.standard, second)
            #expect(again.failed == [CheckID.playIntegrityChallenge])
            #expect(again.code(CheckID.playIntegrityChallenge) == "digest-used")
            // The same payload with another order of members.
            guard case .object(let members) = Fixtures.standard else { return }
            #expect(try await judge(.object(members.reversed()), second).failed == [CheckID.playIntegrityChallenge])
            let beyond = try await judge(Fixtures.standard, 300_001)
            #expect(beyond.failed == [CheckID.playIntegrityFreshness])
            // A second token for the same request is another token.
            var other = Fixtures.standard
            other["requestDetails.timestampMillis"] = .text("1790000000001")
            #expect(try await judge(other, second).outcome == .accept)
        }
    }

    @Test(
        "A used and purged standard answer is an outage under a longer window; a younger one is judged"
    )
    func longerWindow() async throws {
        let ledger = MemoryLedger(purging: .byClock { .distantFuture })
        let verifier = try Fixtures.verifier(ledger: ledger)
        #expect(
            try await verifier.verify(
                Fixtures.answer(Fixtures.standard), at: Fixtures.now
            ).outcome == .accept)
        // A ledger in memory purges when it has grown.
        let late = Fixtures.now.addingTimeInterval(10_000)
        for number in 0..<5000 {
            let use = UsedDigest(
                digest: Array("\(number)".utf8), app: "shop", kind: EvidenceKind.playIntegrityStandard, madeAt: late,
                usedAt: late, until: late.addingTimeInterval(300))
            let effect = LedgerEffect(.playIntegrityChallenge, .rememberDigest(use))
            try #require(try await ledger.commit([effect], at: late).isApplied)
        }
        let longer = try Fixtures.verifier(
            Fixtures.configuration(freshness: .init(past: 86_400)), ledger: ledger)
        let error = await #expect(throws: VerificationError.self) {
            try await longer.verify(Fixtures.answer(Fixtures.standard), at: late)
        }
        guard case .outage(let outage) = error else { throw try #require(error) }
        #expect((outage as? LedgerOutage)?.code == .forgotten)
        var younger = Fixtures.standard
        younger["requestDetails.timestampMillis"] = .text("1790000000001")
        #expect(try await longer.verify(Fixtures.answer(younger), at: late).outcome == .accept)
    }

    @Test("White space, escapes and the type of integers do not make a different standard answer; other values do")
    func writings() async throws {
        let verifier = try Fixtures.verifier()
        let json = "{\"tokenPayloadExternal\":\(Fixtures.standard.rendered)}"
        func judge(_ json: String) async throws -> Verdict {
            try await verifier.verify(Fixtures.answer(json: json), at: Fixtures.now)
        }
        #expect(try await judge(json).outcome == .accept)
        for other in [
            json.replacing(",", with: " , \n"), json.replacing("PLAY_RECOGNIZED", with: #"PLAY\u005fRECOGNIZED"#),
            json.replacing("\"nonce\"", with: "\"nonce\""), json.dropLast() + ",\"other\":1}",
            json.replacing("\"1790000000000\"", with: "1790000000000"),
        ] {
            #expect(try await judge(other).failed == [CheckID.playIntegrityChallenge])
        }
        #expect(try await judge(json.replacing("\"LEVEL_1\"", with: "\"LEVEL_2\"")).outcome == .accept)
    }

    @Test("A rejected standard answer consumes nothing")
    func standardRejection() async throws {
        let verifier = try Fixtures.verifier()
        let wrong = StandardIntegrityInput(
            packageName: Fixtures.packageName, requestHash: "other",
            evidence: Fixtures.answer(Fixtures.standard).evidence)
        #expect(
            try await verifier.verify(wrong, at: Fixtures.now).failed
                == [CheckID.playIntegrityRequestHash])
        #expect(
            try await verifier.verify(Fixtures.answer(Fixtures.standard), at: Fixtures.now)
                .outcome == .accept)
    }
}
