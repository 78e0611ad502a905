import AssayCore
import AssayTestSupport
import Foundation
import Testing

@Suite("Keys and their stores")
struct KeyVocabularyTests {
    private static let time = Date(timeIntervalSince1970: 1_776_795_192)

    private func key(
        _ name: String = "k", notBefore: Double? = nil, notAfter: Double? = nil, retiredAt: Double? = nil
    ) throws -> NamedKey {
        NamedKey(
            name: name,
            window: KeyWindow(notBefore: notBefore.map { Self.time + $0 }, notAfter: notAfter.map { Self.time + $0 }),
            retiredAt: retiredAt.map { Self.time + $0 }, material: try TestSecret(parts: TestSecret.parts("x")))
    }

    @Test("A key is live from the start to the end of its window, both included; a retirement takes precedence")
    func states() throws {
        let table: [(key: NamedKey, at: Double, state: KeyState)] = [
            (try key(), 0, .live), (try key(notBefore: 0), 0, .live),
            (try key(notBefore: 0), -0.001, .pending(Self.time)), (try key(notAfter: 0), 0, .live),
            (try key(notAfter: 0), 0.001, .expired(Self.time)), (try key(retiredAt: 0), -0.001, .live),
            (try key(retiredAt: 0), 0, .retired(Self.time)),
            (try key(notBefore: 10, retiredAt: 0), 5, .retired(Self.time)),
            (try key(notAfter: -10, retiredAt: 0), 5, .retired(Self.time)),
            (try key(notAfter: -10, retiredAt: 10), 5, .expired(Self.time - 10)),
        ]
        for (key, seconds, state) in table { #expect(key.state(at: Self.time + seconds) == state) }
        #expect(KeyState.retired(Self.time).description == "retired at 2026-04-21T18:13:12Z")
    }

    @Test("A window is empty when it ends before it begins")
    func windows() {
        #expect(!KeyWindow.always.isEmpty)
        #expect(!KeyWindow(notBefore: Self.time, notAfter: Self.time).isEmpty)
        #expect(!KeyWindow(notBefore: Self.time, notAfter: nil).isEmpty)
        #expect(KeyWindow(notBefore: Self.time, notAfter: Self.time - 0.001).isEmpty)
    }

    @Test("A key has exactly the parts of its type")
    func parts() throws {
        let secret = SecretBytes([1])
        func code(_ parts: [String: SecretBytes]) throws -> String {
            let error = #expect(throws: KeyError.self) { try TestSecret.reading(parts) }
            return try #require(error).code
        }
        #expect(try TestSecret.reading(["secret": secret]).label == nil)
        #expect(try code([:]) == "missing-part")
        #expect(try code(["label": secret]) == "missing-part")
        #expect(try code(["secret": secret, "Secret": secret]) == "unknown-part")
        #expect(try code(["secret": SecretBytes([])]) == "wrong-length")
    }

    @Test(
        "Combined stores return all keys of a purpose, in the order of the stores; an outage of one is an outage of all"
    )
    func combined() async throws {
        struct OutOfReach: KeyStore {
            func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
                throw KeyStoreOutage(.unreachable, "nobody there")
            }
        }
        let stores = [StaticKeyStore([try key("a"), try key("b")]), StaticKeyStore([try key("a")])]
        let keys = try await CombinedKeyStore(stores).keys(for: TestSecret.purpose)
        #expect(keys.map(\.name) == ["a", "b", "a"])
        #expect(try await CombinedKeyStore(stores).keys(for: KeyPurpose("other")).isEmpty)
        await #expect(throws: KeyStoreOutage(.unreachable, "nobody there")) {
            _ = try await CombinedKeyStore(stores + [OutOfReach()]).keys(for: TestSecret.purpose)
        }
    }

    @Test("Names are shown without normalisation: different keys look different")
    func names() {
        for name in ["a", "play-2026", "Schlüssel 1", "com.example.shop", String(repeating: "x", count: 255)] {
            #expect(KeyName.objection(to: name) == nil)
        }
        let refused = [
            "", " a", "a ", "\u{A0}a", "a\u{0}", "a\u{200B}b", "a\u{202E}b", "a\u{2028}b", "a\u{7F}", "a\tb",
            String(repeating: "x", count: 256),
        ]
        for name in refused { #expect(KeyName.objection(to: name) != nil, "\(name.debugDescription)") }
    }
}
