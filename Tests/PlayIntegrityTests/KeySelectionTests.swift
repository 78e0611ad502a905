import Assay
import AssayCore
import AssayTestSupport
import Foundation
import PlayIntegrity
import Testing

/// A token is tried only with the live keys of its app.
@Suite("Play Integrity key selection")
struct KeySelectionTests {
    private let current = TokenFixture()
    private let former = TokenFixture()

    private func payload() -> [UInt8] { Array(Fixtures.android.rendered.utf8) }

    private func judge(
        _ token: String, keys: [NamedKey], named: [String]? = nil
    ) async throws(VerificationError) -> Verdict {
        let verifier: Verifier
        let input: ClassicIntegrityInput
        do {
            verifier = try Fixtures.verifier(Fixtures.configuration(keys: named), keys: keys)
            input = try Fixtures.classic(token: token)
        } catch {
            throw .request(RequestError(.invalidTime, "\(error)"))
        }
        return try await verifier.verify(input, at: Fixtures.now)
    }

    private func requestError(keys: [NamedKey], named: [String]? = nil) async throws -> RequestError? {
        do {
            _ = try await judge(current.token(payload()), keys: keys, named: named)
        } catch VerificationError.request(let error) {
            return error
        }
        return nil
    }

    @Test("Several keys can be live at once, and the verdict names the one that opened the token")
    func rotation() async throws {
        let keys = [try Fixtures.key("play-2026", current), try Fixtures.key("play-2025", former)]
        for (fixture, name) in [(current, "play-2026"), (former, "play-2025")] {
            let verdict = try await judge(fixture.token(payload()), keys: keys)
            #expect(verdict.outcome == .accept)
            #expect(verdict.playIntegrity?.key == name)
            #expect(verdict.result(CheckID.playIntegrityDecryption)?.finding?.detail == "opened with key \(name)")
            #expect(verdict.playIntegrity?.fields.first == SubjectField("key", .text(name)))
        }
    }

    @Test("The payload is verified with the key that opened the token, not with any other live key")
    func pairs() async throws {
        let keys = [try Fixtures.key("play-2026", current), try Fixtures.key("play-2025", former)]
        let verdict = try await judge(current.jwe(former.jws(payload())), keys: keys)
        #expect(verdict.failed == [CheckID.playIntegritySignature])
    }

    @Test("A retired, expired or pending key opens nothing, and the failure names it")
    func notLive() async throws {
        let past = Fixtures.now.addingTimeInterval(-1)
        let ahead = Fixtures.now.addingTimeInterval(1)
        for (key, state) in [
            (try Fixtures.key("old", former, retiredAt: past), "retired at 2026-09-21T14:13:19Z"),
            (try Fixtures.key("old", former, retiredAt: Fixtures.now), "retired at 2026-09-21T14:13:20Z"),
            (
                try Fixtures.key("old", former, window: KeyWindow(notBefore: nil, notAfter: past)),
                "expired at 2026-09-21T14:13:19Z"
            ),
            (
                try Fixtures.key("old", former, window: KeyWindow(notBefore: ahead, notAfter: nil)),
                "not used before 2026-09-21T14:13:21Z"
            ),
        ] {
            let verdict = try await judge(
                former.token(payload()), keys: [key, try Fixtures.key("play-2026", current)])
            #expect(verdict.failed == [CheckID.playIntegrityDecryption])
            #expect(verdict.code(CheckID.playIntegrityDecryption) == "key-not-live")
            #expect(verdict.result(CheckID.playIntegrityDecryption)?.finding?.detail.contains("old") == true)
            #expect(verdict.result(CheckID.playIntegrityDecryption)?.finding?.detail.contains(state) == true)
            #expect(verdict.subject == nil)
        }
    }

    @Test("A key's window includes its ends")
    func windowEnds() async throws {
        let window = KeyWindow(notBefore: Fixtures.now, notAfter: Fixtures.now)
        let key = try Fixtures.key("k", current, window: window)
        #expect(try await judge(current.token(payload()), keys: [key]).outcome == .accept)
    }

    @Test("The failure of a foreign token names the keys tried")
    func foreign() async throws {
        let keys = [try Fixtures.key("a", current), try Fixtures.key("b", former)]
        let verdict = try await judge(TokenFixture().token(payload()), keys: keys)
        #expect(verdict.failed == [CheckID.playIntegrityDecryption])
        #expect(verdict.result(CheckID.playIntegrityDecryption)?.finding?.detail.hasSuffix("tried a, b") == true)
    }

    @Test("Without names, only the keys with the package name or the app as their scope count")
    func scopes() async throws {
        let token = try current.token(payload())
        for scope in [Fixtures.packageName, "shop"] {
            #expect(try await judge(token, keys: [Fixtures.key("k", current, scope: scope)]).outcome == .accept)
        }
        for scope in ["com.example.bank", "Shop", nil] {
            let error = try await requestError(keys: [try Fixtures.key("k", current, scope: scope)])
            #expect(error?.reason == .noKey)
            #expect(error?.message.contains("k (for ") == true)
        }
    }

    @Test("With names, the named keys count, unless their scope is another app")
    func names() async throws {
        let token = try current.token(payload())
        for scope in [Fixtures.packageName, "shop", nil] {
            let key = try Fixtures.key("k", current, scope: scope)
            #expect(try await judge(token, keys: [key], named: ["k", "later"]).outcome == .accept)
        }
        let foreign = try await requestError(
            keys: [try Fixtures.key("k", current, scope: "com.example.bank")], named: ["k", "later"])
        #expect(foreign?.reason == .noKey)
        #expect(
            foreign?.message.contains("k (for com.example.bank), later (no key for play-integrity has this name)")
                == true)
        let unnamed = try await requestError(keys: [try Fixtures.key("other", current)], named: ["k"])
        #expect(unnamed?.message.contains("there are k (no key for play-integrity has this name)") == true)
    }

    @Test("Without a live key there is no verdict, and the error names the keys and their states")
    func noLiveKey() async throws {
        let retired = try Fixtures.key("old", current, retiredAt: Fixtures.now.addingTimeInterval(-60))
        let error = try await requestError(keys: [retired])
        #expect(error?.reason == .noKey)
        #expect(error?.message.contains("old (retired at 2026-09-21T14:12:20Z)") == true)
        #expect(try await requestError(keys: [])?.message.contains("there is none for com.example.shop") == true)
    }

    @Test("The assessor rejects a token that no live key opens", .produces("play-integrity.decryption", "no-live-key"))
    func assessor() throws {
        let expectations = PlayIntegrityExpectations(
            app: "shop", configuration: try Fixtures.configuration(), modes: [:])
        let assessment = ClassicIntegrityAssessor.assess(
            try Fixtures.classic(token: current.token(payload())), keys: [], expectations: expectations,
            now: Fixtures.now)
        #expect(!assessment.isAcceptable)
        let failed = assessment.checks.first { $0.status == .failed }
        #expect(failed?.check == CheckID.playIntegrityDecryption)
        #expect(failed?.finding?.code == "no-live-key")
    }

    @Test(
        "A time of judgement outside the range of milliseconds fails the freshness check",
        .produces("play-integrity.freshness", "time-out-of-range"))
    func endlessTime() throws {
        let expectations = PlayIntegrityExpectations(
            app: "shop", configuration: try Fixtures.configuration(), modes: [:])
        let assessment = ClassicIntegrityAssessor.assess(
            try Fixtures.classic(token: current.token(payload())), keys: [try Fixtures.key("k", current)],
            expectations: expectations, now: Date(timeIntervalSince1970: 1e300))
        let freshness = assessment.checks.first { $0.check == CheckID.playIntegrityFreshness }
        #expect(freshness?.status == .failed && freshness?.finding?.code == "time-out-of-range")
    }

    @Test("A key store that cannot be read is an outage, and never a rejection or an acceptance")
    func outage() async throws {
        struct Unreachable: KeyStore {
            func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
                throw KeyStoreOutage(.unreachable, "nobody there")
            }
        }
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", Fixtures.configuration())], keys: [Fixtures.key()],
            catalogue: Verifier.catalogue)
        let verifier = Verifier(policy: policy, ledger: MemoryLedger(), keyStores: [Unreachable()])
        let error = await #expect(throws: VerificationError.self) {
            try await verifier.verify(Fixtures.classic(), at: Fixtures.now)
        }
        guard case .outage(let outage)? = error else {
            Issue.record("expected an outage")
            return
        }
        #expect(outage.code.name == "unreachable")
    }
}
