import AssayCore
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The nearest policy of a file.
@Suite("Nearest policies")
struct NearestPolicyTests {
    private static let policy = """
        version: 1
        apps: [{ name: NAME, appAttest: { appIDs: [\(ReplayCorpus.appID)], environments: [production],
          challenge: caller, clientData: none } }]
        """

    private static func corpus() throws -> KeyFolder {
        let folder = try KeyFolder()
        for name in ["c/near/deep", "c/far", "outside"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        let line = try ReplayCorpus.assertion("a", of: "nearest", counter: 1, supplied: 0)
        for name in ["c/near/a.ndjson", "c/near/deep/b.ndjson", "c/far/c.ndjson"] { try folder.write(name, line) }
        try folder.write("c/near/policy.yaml", policy.replacing("NAME", with: "near"))
        try folder.write("policy.yaml", policy.replacing("NAME", with: "outside"))
        return folder
    }

    private func apps(_ outcome: ReplayCorpus.Outcome) -> [String] {
        outcome.records.map { record in
            switch record.judgement {
            case .verdict(let verdict): verdict.app ?? "no app"
            case .failure(let failure): failure.code
            }
        }
    }

    @Test("The policy is searched in the folder and above it, but not above the corpus", arguments: ["c", "c/"])
    func above(root: String) async throws {
        let folder = try Self.corpus()
        var options = ReplayOptions()
        options.isLedgerPerFile = true
        let path = folder.path("") + "/" + root
        let found = try await ReplayCorpus.replay(paths: [path], ReplayPolicies(nil), options)
        #expect(apps(found) == ["no-policy", "near", "near"])
        let given = try ReplayCorpus.policy()
        let second = ReplayPolicies(given, isNearestFirst: true)
        #expect(apps(try await ReplayCorpus.replay(paths: [path], second, options)) == ["shop", "near", "near"])
        let only = try await ReplayCorpus.replay(paths: [path], ReplayPolicies(given), options)
        #expect(apps(only) == ["shop", "shop", "shop"])
    }

    @Test("A file given by its path uses the policy beside it, and none above")
    func named() async throws {
        let folder = try Self.corpus()
        let paths = ["c/near/deep/b.ndjson", "c/near/a.ndjson"].map { folder.path($0) }
        #expect(apps(try await ReplayCorpus.replay(paths: paths, ReplayPolicies(nil))) == ["no-policy", "near"])
    }

    @Test("Folders with equal names as text and different bytes have separate policies")
    func bytes() async throws {
        let folder = try KeyFolder()
        let line = try ReplayCorpus.assertion("a", of: "nearest", counter: 1, supplied: 0)
        for (name, app) in [("e\u{301}", "two"), ("\u{E9}", "one")] {
            try FileManager.default.createDirectory(
                atPath: folder.path("c") + "/" + name, withIntermediateDirectories: true)
            for (file, text) in [("a.ndjson", line), ("policy.yaml", Self.policy.replacing("NAME", with: app))] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("c") + "/\(name)/\(file)"))
            }
        }
        let found = try await ReplayCorpus.replay(paths: [folder.path("c")], ReplayPolicies(nil))
        #expect(apps(found).first == "two")
        // Same key and counter in one ledger: the second record meets a key of another app.
        #expect(apps(found).last == "one")
    }

    @Test("An unreadable policy affects only its own records")
    func unreadable() async throws {
        let folder = try Self.corpus()
        try folder.write("c/far/policy.yaml", "version: 2\n")
        let found = try await ReplayCorpus.replay(paths: [folder.path("c")], ReplayPolicies(nil))
        #expect(apps(found).first == "policy-unreadable")
        #expect(found.lines.contains("expected 1, found"))
        #expect(apps(found).dropFirst().first == "near")
    }

    @Test("A policy.yaml that is no regular file is an error, without blocking", arguments: ["pipe", "link"])
    func irregular(kind: String) async throws {
        let folder = try Self.corpus()
        let path = folder.path("c/far/policy.yaml")
        #expect((kind == "pipe" ? mkfifo(path, 0o600) : symlink("nowhere", path)) == 0)
        let policies = ReplayPolicies(try ReplayCorpus.policy(), isNearestFirst: true)
        let found = try await ReplayCorpus.replay(paths: [folder.path("c")], policies)
        #expect(apps(found).first == "policy-unreadable")
        #expect(apps(found).dropFirst().first == "near")
    }
}
