import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the kit gets of the real service besides tokens.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: AssayService.isWanted, "ASSAY_PROGRAM is not set: the path of the program `assay`"))
struct ExchangeEndToEndTests {
    /// An app of the policy.
    private static func app(_ name: String, _ sections: String) -> String {
        """

          - name: \(name)
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              challenge: ledger
              clientData: raw
              requests: {}
              testRoots: ["file:root.pem"]
            \(sections)
        """
    }

    /// A value of the ledger, and one that each device has for itself and always the same.
    @Test func secrets() async throws {
        let name = "shop-secrets"
        let service = try await AssayService(
            apps: Self.app(name, "secrets: { names: [maps, sealing, absent], life: 1h, testAuthorities: allow }"))
        service.write("canary\n", to: "maps.key")
        for options in [["maps", "--value", "file:maps.key"], ["sealing", "--derive"]] {
            try await service.run(["secrets", "add", "--for", name, "--master-key", "file:master.key"] + options)
        }
        let relay = Relay(service, app: name)
        let attestor = try EndToEndTests.attestor(TestPhone(), relay, app: name)
        func values(_ attestor: AppAttestor) async throws -> [String] {
            while true {
                // The service reads the ledger again within a second.
                let source = SecretSource(attestor, names: ["maps", "sealing"])
                do throws(AssayClientError) {
                    return [try await source.value("maps"), try await source.value("sealing")]
                } catch {
                    guard error.code == .unknownSecret else { throw error }
                }
                try await Task.sleep(nanoseconds: 100_000_000)
            }
        }
        let first = try await values(attestor)
        #expect(first[0] == "canary")
        #expect(first[1].utf8.count == 43)
        #expect(try await values(attestor) == first)
        let other = try await values(EndToEndTests.attestor(TestPhone(), relay, app: name))
        #expect(other[0] == "canary" && other[1] != first[1])
        for (names, code) in [
            (["absent"], AssayClientError.Code.unknownSecret), (["stranger"], .unknownSecret),
            (["a b"], .invalidSecretName), ([], .invalidSecretName),
        ] {
            let source = SecretSource(attestor, names: names)
            let error = await #expect(throws: AssayClientError.self) { try await source.value("maps") }
            #expect(error?.code == code, "\(names)")
        }
        let tokens = try EndToEndTests.attestor(TestPhone(), Relay(service, app: "shop-tokens"), app: "shop-tokens")
        let disabled = SecretSource(tokens, names: ["maps"])
        let error = await #expect(throws: AssayClientError.self) { try await disabled.value("maps") }
        #expect(error?.code == .secretsDisabled)
    }

    /// The configuration of the ledger: embedded, then renewed beside a token, also for one device alone.
    @Test func configuration() async throws {
        let name = "shop-pins"
        let service = try await AssayService(
            apps: Self.app(
                name,
                "tokens: { issuer: \"https://attest.example.com\", audiences: [\"\(EndToEndTests.base)\"], "
                    + "testAuthorities: allow, configuration: pins }"))
        // Pins of all hosts: the command connects to none.
        func setPins(_ bytes: UInt8...) async throws {
            let pins = bytes.map { Data(repeating: $0, count: 32).base64EncodedString() }
            service.write(#"{"*": ["\#(pins.joined(separator: #"", ""#))"]}"#, to: "pins.json")
            try await service.run(["pins", "set", "pins.json", "--yes"])
        }
        try await setPins(7)
        let initial = try await service.run([
            "pins", "configuration", "--app", name, "--policy", "policy.yaml", "--master-key", "file:master.key",
        ])
        let pinning = try Pinning(
            initial, backend: try #require(URL(string: EndToEndTests.base)), storage: MemoryStorage())
        #expect(pinning.current.pins(of: "cdn.example.com").map(\.hash) == [Data(repeating: 7, count: 32)])
        let relay = Relay(service, app: name)
        let attestor = try EndToEndTests.attestor(TestPhone(), relay, app: name) { $0.pinning = pinning }
        let version = pinning.current.version
        // A change is in force within two seconds.
        func fetch(until holds: (SignedConfiguration) -> Bool) async throws {
            while !holds(pinning.current) {
                _ = try await TokenSource(attestor, audience: EndToEndTests.base).data(for: EndToEndTests.order())
                try await Task.sleep(nanoseconds: 100_000_000)
            }
        }
        try await setPins(7, 8)
        try await fetch { $0.pins(of: "cdn.example.com").count == 2 }
        #expect(pinning.current.version > version)
        let key = try #require(await attestor.stored?.model.record.key)
        try await service.run(["pins", "mode", "unpin", "--key-id", key, "--for", "1h", "--yes"])
        try await fetch { $0.mode(at: Int(Date().timeIntervalSince1970)) == .unpin }
        #expect(pinning.verdict(on: [], of: "cdn.example.com") == .unpinned)
        try await service.run(["pins", "mode", "pin", "--key-id", key, "--yes"])
        try await fetch { $0.mode(at: Int(Date().timeIntervalSince1970)) == .pin }
        #expect(pinning.verdict(on: [], of: "cdn.example.com") == .refused)
    }
}
