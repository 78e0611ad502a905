import AssayCore
import AssayTestSupport
import Testing

/// A policy sets the modes of policy checks only.
@Suite("Policy")
struct PolicyTests {
    private struct Configuration: EngineConfiguration {
        static let engine = "test"
        static let policyField = "test"
        init() {}
        init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {}
    }

    private func policy(_ modes: [CheckID: CheckMode], apps: [PolicyApp]? = nil) throws(PolicyError)
        -> VerificationPolicy
    {
        try VerificationPolicy(
            apps: apps ?? [PolicyApp(name: "app", Configuration())], modes: modes, catalogue: Fixtures.catalogue)
    }

    @Test("Defaults apply to checks that are not set; only policy checks have a mode")
    func defaults() throws {
        #expect(try policy([:]).modes == [.second: .enforce, .third: .annotate])
        #expect(try policy([.second: .off, .third: .enforce]).modes == [.second: .off, .third: .enforce])
        #expect(try policy([.first: .enforce, .counter: .enforce]).modes == [.second: .enforce, .third: .annotate])
    }

    @Test(
        "Relaxing an always enforced check is refused with the reason",
        arguments: [
            (CheckID.first, CheckMode.annotate, ["is a gate", "found annotate", "the attack"]),
            (.first, .off, ["is a gate", "found off", "the attack"]),
            (.counter, .annotate, ["decided by the ledger", "found annotate", "the attack"]),
            (.counter, .off, ["decided by the ledger", "found off"]),
            (CheckID("test.nonsense"), .enforce, ["there is no check test.nonsense", "assay explain"]),
        ])
    func refusedModes(check: CheckID, mode: CheckMode, words: [String]) throws {
        let error = try #require(throws: PolicyError.self) { try policy([check: mode]) }
        #expect(error.field == "checks.\(check)")
        for word in words { #expect(error.message.contains(word)) }
    }

    @Test("There is at least one app, names are unique, and an app has one configuration for each engine")
    func apps() throws {
        #expect(throws: PolicyError(field: "apps", "a policy names at least one app")) { try policy([:], apps: []) }
        #expect(throws: PolicyError(field: "apps", "two apps are named a; names are unique")) {
            try policy([:], apps: [PolicyApp(name: "a"), PolicyApp(name: "a")])
        }
        #expect(throws: PolicyError.self, "one letter in two spellings") {
            try policy([:], apps: [PolicyApp(name: "caf\u{E9}"), PolicyApp(name: "cafe\u{301}")])
        }
        let longest = String(repeating: "a", count: 255)
        #expect(try policy([:], apps: [PolicyApp(name: longest)]).apps.count == 1)
        let error = #expect(throws: PolicyError.self) { try policy([:], apps: [PolicyApp(name: longest + "a")]) }
        #expect(error?.message.hasPrefix("the name of an app has at most 255 bytes in UTF-8, found 256: aaa") == true)
        #expect(throws: PolicyError(field: "apps", "app a is configured twice for one engine")) {
            try policy([:], apps: [PolicyApp(name: "a", Configuration(), Configuration())])
        }
    }

    @Test("An app gives the configuration of an engine, or none")
    func configurations() {
        #expect(PolicyApp(name: "a", Configuration()).configuration(Configuration.self) != nil)
        #expect(PolicyApp(name: "a").configuration(Configuration.self) == nil)
    }
}
