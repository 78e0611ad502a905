import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTestSupport
import Foundation
import Testing

@Suite("Names of keys in policies")
struct KeyNameTests {
    @Test(
        "A name that is nearly that of a key of the policy is a warning",
        arguments: [("main", 0), ("mian", 1), ("vault", 0), ("main, main2", 0), ("main, mian", 0), ("mian, vault", 1)])
    func misspelledKey(name: String, count: Int) throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        try folder.write("main.b64", String(repeating: "QUJD", count: 21) + "QQ==")
        try #require(chmod(folder.path("main.b64"), 0o600) == 0)
        try folder.write(
            "p.yaml",
            "version: 1\nkeys: [{ name: main, use: approov, secret: \"file:main.b64\" }]\n"
                + "apps: [{ name: api, approov: { keys: [\(name)], failover: reject } }]\n")
        let review = PolicyReview(
            path: folder.path("p.yaml"), engines: .standard, at: Date(timeIntervalSince1970: 1_790_000_000))
        let found = review.findings.filter {
            $0.severity == .warning && $0.problem.field == "apps[0].approov.keys[0]"
        }
        #expect(review.count(.error) == 0 && found.count == count, "\(review.findings)")
    }

    /// A key store that does not answer.
    private struct SilentStore: KeyStore {
        func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
            throw KeyStoreOutage(.unreachable, "nobody there")
        }
    }

    @Test(
        "A name is known if the policy or a key store has a key of it; nothing is unknown while a store does not answer"
    )
    func unknownKeys() async throws {
        let secret = SecretBytes(Array((String(repeating: "QUJD", count: 21) + "QQ==").utf8))
        func key(_ name: String) throws -> NamedKey {
            NamedKey(name: name, material: try ApproovKey(parts: ["secret": secret]))
        }
        let policy = try PolicyFile.parse(
            "version: 1\napps: [{ name: api, approov: { failover: reject } }]\n", path: "p.yaml")
        let stores: [any KeyStore] = [StaticKeyStore([try key("vault")])]
        func unknown(_ stores: [any KeyStore]) async -> [String] {
            await Verifier(policy: policy, ledger: MemoryLedger(), keyStores: stores).unknownKeys(among: [
                "vault", "vualt",
            ])
        }
        #expect(await unknown(stores) == ["vualt"])
        #expect(await unknown([]) == ["vault", "vualt"])
        #expect(await unknown(stores + [SilentStore()]).isEmpty)
    }
}
