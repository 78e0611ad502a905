import Approov
import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A token is tried only with the app's live keys that match its header.
@Suite("Selection of Approov keys")
struct KeySelectionTests {
    private static let former = TokenFixtures.otherSecret
    private static let claims = TokenFixtures.claims.text

    private func token(_ secret: [UInt8] = TokenFixtures.secret, kid: String? = nil) throws -> String {
        let header = kid.map { #"{"alg":"HS256","kid":"\#($0)"}"# } ?? TokenFixtures.header
        return try TokenFixtures.jws(Self.claims, header: header, by: TokenFixtures.hs256(secret))
    }

    private func current(keyID: String? = nil) throws -> NamedKey {
        try TokenFixtures.key("now", TokenFixtures.material(keyID: keyID))
    }

    private func old(
        keyID: String? = nil, window: KeyWindow = .always, retiredAt: Date? = nil
    ) throws -> NamedKey {
        try TokenFixtures.key(
            "old", TokenFixtures.material(Self.former, keyID: keyID), window: window, retiredAt: retiredAt)
    }

    @Test("Several secrets can be live at once, and the verdict names the matching one")
    func rotation() async throws {
        for keys in [[try current(), try old()], [try old(), try current()]] {
            for (secret, name) in [(TokenFixtures.secret, "now"), (Self.former, "old")] {
                let signed = try await TokenFixtures.judge(token(secret), keys: keys)
                #expect(signed.outcome == .accept)
                #expect(signed.approov?.key == name)
                #expect(signed.tokenDetail(CheckID.approovTokenSignature) == "with key \(name)")
                var settings = TokenFixtures.strict
                settings.format = .jwe
                let sealed = try await TokenFixtures.judge(
                    TokenFixtures.jwe(Self.claims, secret: secret), settings, keys: keys)
                #expect(sealed.outcome == .accept)
                #expect(sealed.approov?.key == name)
            }
        }
    }

    /// The expectations of one app, which hold the prepared keys.
    private static let expectations: @Sendable () throws -> ApproovExpectations = {
        ApproovExpectations(app: "api", configuration: try ApproovConfiguration(), modes: [:])
    }

    @Test("A key's state is that at the time of each judgement, in any order of times and at the exact limits")
    func statesOverTime() throws {
        let (begin, end, retired) = (TokenFixtures.now - 60, TokenFixtures.now + 60, TokenFixtures.now + 30)
        let claims = #"{"exp":\#(TokenFixtures.seconds + 600),"did":"\#(TokenFixtures.deviceID)"}"#
        let token = try TokenFixtures.jws(claims)
        let material = try TokenFixtures.material()
        func key(_ retiredAt: Date?) -> [NamedKey] {
            let window = KeyWindow(notBefore: begin, notAfter: end)
            return [NamedKey(name: "now", scope: "api", window: window, retiredAt: retiredAt, material: material)]
        }
        let expectations = try Self.expectations()
        let seconds: [Double] = [-61, -60, -59, 0, 29, 30, 31, 59, 60, 61, 60, 30, 29, -60, -61, 0, 0]
        // Alternates between two key arrays: the keys prepared for one must not be used for the other.
        let (used, replaced) = (key(nil), key(retired))
        for offset in seconds {
            for (keys, isLive) in [
                (used, (-60...60).contains(offset)), (used, (-60...60).contains(offset)),
                (replaced, (-60..<30).contains(offset)),
            ] {
                let assessment = ApproovTokenAssessor.assess(
                    ApproovTokenInput(token: token), keys: keys, standings: { _ in [] }, expectations: expectations,
                    now: TokenFixtures.now + offset)
                #expect(assessment.isAcceptable == isLive, "at \(offset) s")
            }
        }
    }

    @Test("Keys that are no longer in the store are not used")
    func replacedKeys() throws {
        let expectations = try Self.expectations()
        func holds(_ secret: [UInt8], _ keys: [NamedKey]) throws -> Bool {
            ApproovTokenAssessor.assess(
                ApproovTokenInput(token: try token(secret)), keys: keys, standings: { _ in [] },
                expectations: expectations, now: TokenFixtures.now
            ).checks.contains { $0.check == CheckID.approovTokenSignature && $0.status == .passed }
        }
        func key(_ secret: [UInt8]) throws -> NamedKey {
            NamedKey(name: "key", scope: "api", material: try TokenFixtures.material(secret))
        }
        var keys = [try key(TokenFixtures.secret)]
        #expect(try holds(TokenFixtures.secret, keys))
        #expect(try !holds(Self.former, keys))
        keys[0] = try key(Self.former)
        #expect(try !holds(TokenFixtures.secret, keys))
        #expect(try holds(Self.former, keys))
        keys.append(try key(TokenFixtures.secret))
        #expect(try holds(TokenFixtures.secret, keys))
        keys.removeAll()
        #expect(try !holds(TokenFixtures.secret, keys))
    }

    @Test("The failure of a foreign token names the keys tried, and says that rejected apps get such tokens")
    func foreign() async throws {
        let verdict = try await TokenFixtures.judge(
            token([UInt8](repeating: 7, count: 64)), keys: [current(), old()])
        #expect(verdict.failed == [CheckID.approovTokenSignature])
        #expect(verdict.tokenDetail(CheckID.approovTokenSignature).contains("fail attestation"))
        #expect(verdict.tokenDetail(CheckID.approovTokenSignature).hasSuffix("tried now, old"))
    }

    /// The IDs of two secrets, the kid of a token of the second one, and the result.
    struct Case: Sendable, CustomTestStringConvertible {
        let first: String?
        let second: String?
        let kid: String?
        let failed: CheckID?
        var testDescription: String { "\(first ?? "-") \(second ?? "-") kid \(kid ?? "-")" }
    }

    static let cases: [Case] = [
        // An unknown kid selects the keys without an ID.
        Case(first: nil, second: nil, kid: nil, failed: nil), Case(first: nil, second: nil, kid: "x", failed: nil),
        Case(first: "a", second: nil, kid: "x", failed: nil), Case(first: "a", second: nil, kid: nil, failed: nil),
        // The kid of a key with an ID selects that key.
        Case(first: "a", second: nil, kid: "a", failed: CheckID.approovTokenSignature),
        Case(first: "a", second: "b", kid: "a", failed: CheckID.approovTokenSignature),
        Case(first: "a", second: "b", kid: "b", failed: nil), Case(first: nil, second: "b", kid: "b", failed: nil),
        Case(first: "b", second: "b", kid: "b", failed: nil),
        // A key with an ID is not tried for a token that names another ID.
        Case(first: "a", second: "b", kid: "x", failed: CheckID.approovTokenKey),
        Case(first: nil, second: "b", kid: "x", failed: CheckID.approovTokenSignature),
        Case(first: "a", second: "b", kid: "B", failed: CheckID.approovTokenKey),
        Case(first: "a", second: "b", kid: "b ", failed: CheckID.approovTokenKey),
        // Without a kid, the matching secret is found by trying.
        Case(first: "a", second: "b", kid: nil, failed: nil),
    ]

    @Test("A kid limits the secrets that are tried", arguments: cases)
    func keyIDs(_ each: Case) async throws {
        let keys = [try current(keyID: each.first), try old(keyID: each.second)]
        let verdict = try await TokenFixtures.judge(token(Self.former, kid: each.kid), keys: keys)
        #expect(verdict.failed == (each.failed.map { [$0] } ?? []))
        #expect(verdict.approov?.key == (each.failed == nil ? "old" : nil))
    }

    @Test("A public key with an ID is selected by it; one without an ID is tried like a secret")
    func publicKeys() async throws {
        let info = TokenFixtures.signingKey.subjectPublicKeyInfo()
        let other = TestKey(.p256, seed: "approov", label: "other")
        let named = [
            try TokenFixtures.key("a", TokenFixtures.publicKey(info, keyID: "a")),
            try TokenFixtures.key("b", TokenFixtures.publicKey(other.subjectPublicKeyInfo(), keyID: "b")),
        ]
        func verdict(_ header: String, _ keys: [NamedKey]) async throws -> Verdict {
            try await TokenFixtures.judge(
                TokenFixtures.jws(Self.claims, header: header, by: TokenFixtures.es256()), keys: keys)
        }
        #expect(try await verdict(#"{"alg":"ES256","kid":"a"}"#, named).failed == [])
        // The kids are swapped.
        #expect(try await verdict(#"{"alg":"ES256","kid":"b"}"#, named).failed == [CheckID.approovTokenSignature])
        let none = try await verdict(#"{"alg":"ES256"}"#, named)
        #expect(none.failed == [CheckID.approovTokenKey])
        #expect(none.tokenCode(CheckID.approovTokenKey) == "missing-key-id")
        let nameless = [try TokenFixtures.key("c", TokenFixtures.publicKey(info)), named[1]]
        for header in [#"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"x"}"#] {
            #expect(try await verdict(header, nameless).approov?.key == "c")
        }
        #expect(try await verdict(#"{"alg":"ES256","kid":"b"}"#, nameless).failed == [CheckID.approovTokenSignature])
    }

    @Test("A pending, expired or retired key verifies and decrypts nothing, and the failure names it")
    func notLive() async throws {
        let past = TokenFixtures.now.addingTimeInterval(-1)
        let ahead = TokenFixtures.now.addingTimeInterval(1)
        for (key, state) in [
            (try old(retiredAt: past), "retired at 2026-09-21T14:13:19Z"),
            (try old(retiredAt: TokenFixtures.now), "retired at 2026-09-21T14:13:20Z"),
            (try old(window: KeyWindow(notBefore: nil, notAfter: past)), "expired at 2026-09-21T14:13:19Z"),
            (try old(window: KeyWindow(notBefore: ahead, notAfter: nil)), "not used before 2026-09-21T14:13:21Z"),
        ] {
            let signed = try await TokenFixtures.judge(token(Self.former), keys: [key, current()])
            #expect(signed.failed == [CheckID.approovTokenSignature])
            var settings = TokenFixtures.strict
            settings.format = .jwe
            let sealed = try await TokenFixtures.judge(
                TokenFixtures.jwe(Self.claims, secret: Self.former), settings, keys: [key, current()])
            #expect(sealed.failed == [CheckID.approovTokenDecryption])
            for (verdict, check) in [(signed, CheckID.approovTokenSignature), (sealed, CheckID.approovTokenDecryption)]
            {
                #expect(verdict.tokenCode(check) == "key-not-live")
                #expect(verdict.tokenDetail(check).contains("with key old"))
                #expect(verdict.tokenDetail(check).contains(state))
                #expect(verdict.approov?.claims == nil)
            }
        }
        let window = KeyWindow(notBefore: TokenFixtures.now, notAfter: TokenFixtures.now)
        #expect(try await TokenFixtures.judge(token(Self.former), keys: [old(window: window)]).failed == [])
    }

    @Test("A kid that belongs only to a key that is not live fails the key check, and the failure names that key")
    func namedAndNotLive() async throws {
        let retired = try old(keyID: "b", retiredAt: TokenFixtures.now)
        var settings = TokenFixtures.strict
        let signed = try await TokenFixtures.judge(
            token(Self.former, kid: "b"), settings, keys: [retired, current(keyID: "a")])
        settings.format = .jwe
        let sealed = try await TokenFixtures.judge(
            TokenFixtures.jwe(
                Self.claims, secret: Self.former, header: #""alg":"A256GCMKW","enc":"A256GCM","kid":"b""#),
            settings, keys: [retired, current(keyID: "a")])
        for verdict in [signed, sealed] {
            #expect(verdict.failed == [CheckID.approovTokenKey])
            #expect(verdict.tokenCode(CheckID.approovTokenKey) == "key-not-live")
            #expect(
                verdict.tokenDetail(CheckID.approovTokenKey).contains("\"b\", which is old and not live: retired at"))
        }
    }

    @Test("Without names, the keys with the app's scope count; with names, the named keys")
    func scopes() async throws {
        func code(_ scope: String?, _ names: [String]?) async throws -> RequestError.Reason? {
            var settings = TokenFixtures.strict
            settings.keys = names
            do {
                let keys = [try TokenFixtures.key("k", scope: scope)]
                #expect(try await TokenFixtures.judge(token(), settings, keys: keys).outcome == .accept)
            } catch VerificationError.request(let error) {
                return error.reason
            }
            return nil
        }
        #expect(try await code("api", nil) == nil)
        #expect(try await code(nil, ["k"]) == nil)
        #expect(try await code("api", ["k", "later"]) == nil)
        for scope in ["bank", "API", nil] { #expect(try await code(scope, nil) == .noKey) }
        #expect(try await code("bank", ["k"]) == .noKey)
        #expect(try await code(nil, ["other"]) == .noKey)
    }

    @Test(
        "Without a live key there is no verdict; an assessor without keys rejects",
        .produces("approov.token.key", "no-live-key"))
    func noLiveKey() async throws {
        let retired = try old(retiredAt: TokenFixtures.now)
        let error = await #expect(throws: VerificationError.self) {
            try await TokenFixtures.judge(token(Self.former), keys: [retired])
        }
        guard case .request(let request)? = error else {
            Issue.record("expected a wrong call")
            return
        }
        #expect(request.message.contains("old (retired at"))
        let good = try TokenFixtures.loggable(LoggableTokenTests.claims)
        for evidence in [ApproovTokenInput.Evidence.token(try token()), .loggable(good)] {
            for keys in [[], [retired]] {
                let assessment = ApproovTokenAssessor.assess(
                    ApproovTokenInput(evidence), keys: keys, standings: { _ in [] },
                    expectations: try TokenFixtures.expectations(TokenFixtures.lenient), now: TokenFixtures.now)
                #expect(!assessment.isAcceptable)
                let failed = assessment.checks.first { $0.status == .failed }
                #expect(failed?.check == CheckID.approovTokenKey)
                #expect(failed?.finding?.code == "no-live-key")
            }
        }
    }
}
