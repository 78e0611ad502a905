import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity
import Synchronization
import Testing

/// Google opens the classic tokens of apps if it manages their response encryption. The policy or the app's keys
/// decide. The evidence has no influence.
@Suite("Classic tokens that Google decodes")
struct ClassicByGoogleTests {
    typealias Opener = PlayIntegrityConfiguration.TokenOpener
    typealias Source = PlayIntegrityConfiguration.AnswerSource

    private static let checks = [CheckID.playIntegrityDecryption, CheckID.playIntegritySignature]

    private func verifier(
        _ opener: Opener?, answers: Source? = nil, keys: [NamedKey] = [], decoder: FixedDecoder? = nil,
        challenge: PlayIntegrityConfiguration.ChallengeSource = .caller, ledger: any Ledger = MemoryLedger()
    ) throws -> Verifier {
        try Fixtures.verifier(
            Fixtures.configuration(challenge: challenge, classicTokens: opener, answers: answers), keys: keys,
            ledger: ledger, services: decoder.map { [$0] } ?? [])
    }

    private func token(_ token: String = FixedDecoder.token) throws -> ClassicIntegrityInput {
        try Fixtures.classic(token: token)
    }

    private func answer(_ payload: JSON = Fixtures.android) throws -> ClassicIntegrityInput {
        ClassicIntegrityInput(
            .decoded(IntegrityAnswer(json: Array(FixedDecoder.body(payload).utf8))), packageName: Fixtures.packageName,
            nonce: Fixtures.nonce)
    }

    private func judge(_ verifier: Verifier, _ input: ClassicIntegrityInput) async throws -> Verdict {
        let verdict = try await verifier.verify(input, at: Fixtures.now)
        let record = try await verifier.verify(EvidenceRecord(input, receivedAt: Fixtures.now), at: Fixtures.now)
        #expect(record.failed == verdict.failed)
        return verdict
    }

    private func code(_ error: VerificationError?) -> String? {
        switch error {
        case .request(let error): error.code
        case .outage(let outage): outage.code.name
        case .record, nil: nil
        }
    }

    @Test("Google's answer to a classic token is judged like its payload, without decryption and signature")
    func accepted() async throws {
        for opener in [nil, Opener.google] {
            let decoder = FixedDecoder(Fixtures.android)
            let verdict = try await verifier(opener, decoder: decoder)
                .verify(token(), at: Fixtures.now)
            #expect(verdict.failed == [])
            #expect(decoder.asked.withLock { $0 } == ["\(FixedDecoder.token) \(Fixtures.packageName) android"])
            for check in Self.checks {
                #expect(verdict.result(check)?.because == .notApplicable)
                #expect(verdict.code(check) == "decoded-by-google")
            }
            #expect(verdict.checks.map(\.check) == PlayIntegrityCheck.classicChecks + [CheckID.playIntegrityChallenge])
            let given = try await judge(verifier(opener), answer())
            #expect(given.failed == [])
            #expect(given.code(CheckID.playIntegrityDecode) == "answer-supplied")
        }
    }

    @Test("An app with keys, or with classicTokens: keys, accepts no answer, and its tokens are not sent to Google")
    func keys() async throws {
        let decoder = FixedDecoder(Fixtures.android)
        for opener in [nil, Opener.keys] {
            let verifier = try verifier(opener, answers: .caller, keys: [Fixtures.key()], decoder: decoder)
            let refused = try await judge(verifier, answer())
            #expect(refused.failed == [CheckID.playIntegrityDecode])
            #expect(refused.code(CheckID.playIntegrityDecode) == "answer-not-taken")
            #expect(refused.subject == nil)
            #expect(try await judge(verifier, Fixtures.classic()).failed == [])
            #expect(try await judge(verifier, token()).failed == [CheckID.playIntegrityDecode])
        }
        #expect(decoder.asked.withLock { $0 } == [])
    }

    @Test("A key that is not live, and a key that the policy names, still mean that the app opens its tokens")
    func keysOutOfForce() async throws {
        let retired = try Fixtures.key(retiredAt: Fixtures.now.addingTimeInterval(-1))
        let decoder = FixedDecoder(Fixtures.android)
        let named = try Fixtures.verifier(
            Fixtures.configuration(keys: ["play"], answers: .caller), keys: [retired], services: [decoder])
        for verifier in [
            try verifier(nil, answers: .caller, keys: [retired], decoder: decoder), named,
            try verifier(.keys, answers: .caller, decoder: decoder),
        ] {
            for input in [try answer(), try token()] {
                let error = await #expect(throws: VerificationError.self) {
                    try await verifier.verify(input, at: Fixtures.now)
                }
                #expect(code(error) == "no-key")
            }
        }
        #expect(decoder.asked.withLock { $0 } == [])
    }

    @Test("The policy decides who vouches for the answer, as for standard tokens")
    func vouching() async throws {
        let table: [(answers: Source?, canAsk: Bool, isAccepted: Bool)] = [
            (nil, false, true), (nil, true, false), (.google, false, false), (.google, true, false),
            (.caller, false, true), (.caller, true, true),
        ]
        for (answers, canAsk, isAccepted) in table {
            let decoder = canAsk ? FixedDecoder(Fixtures.android) : nil
            let verdict = try await judge(verifier(.google, answers: answers, decoder: decoder), answer())
            #expect(verdict.failed == (isAccepted ? [] : [CheckID.playIntegrityDecode]), "\(answers as Any) \(canAsk)")
            if !isAccepted { #expect(verdict.code(CheckID.playIntegrityDecode) == "answer-by-caller") }
        }
    }

    @Test("The nonce is compared and used once, for tokens opened by the app and by Google")
    func nonce() async throws {
        let ledger = MemoryLedger()
        let issuing = try verifier(.google, challenge: .ledger, ledger: ledger)
        let issued = try await issuing.issueChallenge(app: "shop", for: .playIntegrityClassic, at: Fixtures.now)
        var payload = Fixtures.android
        payload["requestDetails.nonce"] = .text(issued.text)
        let asking = try verifier(.google, decoder: FixedDecoder(payload), challenge: .ledger, ledger: ledger)
        let input = ClassicIntegrityInput(
            token: FixedDecoder.token, packageName: Fixtures.packageName, nonce: issued.text)
        let other = try await asking.verify(token(), at: Fixtures.now)
        #expect(other.failed == [CheckID.playIntegrityNonce])
        #expect(try await asking.verify(input, at: Fixtures.now).failed == [])
        let replay = try await asking.verify(input, at: Fixtures.now)
        #expect(replay.failed == [CheckID.playIntegrityChallenge])
        #expect(replay.code(CheckID.playIntegrityChallenge) == "challenge-consumed")
    }

    @Test("Answers to standard tokens and Google's refusals are rejected")
    func otherAnswers() async throws {
        let standard = try await verifier(.google, decoder: FixedDecoder(Fixtures.standard))
            .verify(token(), at: Fixtures.now)
        #expect(standard.failed == [CheckID.playIntegrityNonce])
        let refusal = FixedDecoder(.success(#"{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}"#))
        let refused = try await verifier(.google, decoder: refusal)
            .verify(token(), at: Fixtures.now)
        #expect(refused.failed == [CheckID.playIntegrityDecode])
        #expect(refused.code(CheckID.playIntegrityDecode) == "google-refused")
    }

    @Test("A token in another form than Google's is not sent; without a decoder there is no verdict on a token")
    func notSent() async throws {
        let decoder = FixedDecoder(Fixtures.android)
        let verdict = try await verifier(.google, decoder: decoder)
            .verify(token("A="), at: Fixtures.now)
        #expect(verdict.code(CheckID.playIntegrityDecode) == "token-not-canonical")
        #expect(decoder.asked.withLock { $0 } == [])
        for (opener, expected) in [(Opener.google, "no-service"), (nil, "no-key")] {
            let error = await #expect(throws: VerificationError.self) {
                try await verifier(opener).verify(token(), at: Fixtures.now)
            }
            #expect(code(error) == expected)
        }
        let outage = FixedDecoder(.failure(IntegrityDecoderOutage(.quota, "no more today")))
        let error = await #expect(throws: VerificationError.self) {
            try await verifier(.google, decoder: outage).verify(token(), at: Fixtures.now)
        }
        #expect(code(error) == "quota")
    }

    @Test("With a misspelt key scope, an answer in the evidence does not count; with classicTokens: google it does")
    func misspeltScope() async throws {
        let other = try Fixtures.key(scope: "com.exmaple.shop")
        for decoder in [nil, FixedDecoder(Fixtures.android)] {
            let verifier = try verifier(nil, keys: [other], decoder: decoder)
            for input in [try answer(), try token()] {
                let error = await #expect(throws: VerificationError.self) {
                    try await verifier.verify(input, at: Fixtures.now)
                }
                #expect(code(error) == "no-key")
            }
        }
        #expect(try await judge(verifier(.google, keys: [other]), answer()).failed == [])
    }

    @Test("A policy with both keys and classicTokens: google is refused")
    func contradiction() {
        #expect(throws: PolicyError.self) { try Fixtures.configuration(keys: ["play"], classicTokens: .google) }
    }
}
