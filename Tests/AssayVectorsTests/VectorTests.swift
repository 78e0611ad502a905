import AssayCore
import AssayTestSupport
import AssayTesting
import AssayVectors
import Foundation
import Testing

@Suite("The test vectors of this repository")
struct VectorTests {
    static let sets = VectorSets.all
    /// Those of `make vectors`.
    private static let seed = "assay test vectors"
    private static let time = Date(timeIntervalSince1970: 1_789_992_000)

    private static func committed(_ set: any VectorSet.Type) throws -> [String: String] {
        let folder = TestVectors.folder.appendingPathComponent("\(set.name)/minted")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path)).filter { $0.contains(".") }
        return try Dictionary(
            uniqueKeysWithValues: paths.map {
                ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
            })
    }

    @Test("Minting gives the committed files, byte for byte", arguments: sets)
    func reproducible(_ set: any VectorSet.Type) async throws {
        let minted = try await set.files(seed: Self.seed, at: Self.time.addingTimeInterval(0.75))
        let committed = try Self.committed(set)
        #expect(Set(minted.map(\.path)) == Set(committed.keys))
        for file in minted {
            #expect(file.contents == committed[file.path], "\(set.name)/minted/\(file.path): run `make vectors`")
        }
    }

    @Test("Minting gives the committed configurations of apps, byte for byte, each with a name of its own")
    func configurations() throws {
        let url = TestVectors.folder.appendingPathComponent("configuration/configuration.ndjson")
        let minted = try ConfigurationVectors.text(seed: Self.seed, at: Self.time)
        #expect(try String(contentsOf: url, encoding: .utf8) == minted, "run `make vectors`")
        let names = minted.matches(of: #/(?m)^{"id":"([a-z0-9-]+)"/#).map(\.1)
        #expect(names.count > 70 && Set(names).count == names.count)
        #expect(minted.split(separator: "\n").count == names.count)
    }

    @Test("Evidence under random keys and of another time has the same verdicts", arguments: sets)
    func random(_ set: any VectorSet.Type) async throws {
        let seed = String(UInt64.random(in: 0...UInt64.max))
        let minted: [VectorFile]
        do {
            minted = try await set.files(seed: seed, at: Date(timeIntervalSince1970: 1_800_000_000))
        } catch {
            // A verdict is not the expected one.
            Issue.record("seed \(seed): \(error)")
            return
        }
        let committed = try Self.committed(set)
        #expect(Set(minted.map(\.path)) == Set(committed.keys), "seed \(seed)")
        let secrets = minted.filter(\.isSecret)
        #expect(secrets.allSatisfy { $0.contents != committed[$0.path] })
    }

    @Test("Files of secret keys are marked as secret, and no others are", arguments: sets)
    func secrets(_ set: any VectorSet.Type) throws {
        for draft in try set.drafts(seed: Self.seed, at: Self.time) {
            guard case .text(_, let isSecret) = draft.content else { continue }
            let name = draft.path.split(separator: "/").last ?? ""
            let isKey = ["-decryption.b64", "-secret.b64", "-message-key.b64", "hardware.pem"].contains {
                name.hasSuffix($0)
            }
            #expect(isSecret == isKey, "\(draft.path)")
        }
    }

    @Test("Every record has a name of its own and lists its failures with their codes", arguments: sets)
    func names(_ set: any VectorSet.Type) throws {
        var names: Set<String> = []
        for (path, text) in try Self.committed(set) where path.hasSuffix(".json") && !path.hasPrefix("unreadable/") {
            let records = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            for record in try #require(records, "\(path)") {
                let id = try #require(record["id"] as? String)
                #expect(names.insert(id).inserted, "\(id) is there twice")
                let expect = try #require(record["expect"] as? [String: Any])
                let failed = try #require(expect["failed"] as? [[String: String]], "\(id)")
                #expect((expect["outcome"] as? String == "accept") == failed.isEmpty, "\(id)")
                #expect(failed.allSatisfy { Set($0.keys) == ["check", "code"] }, "\(id)")
            }
        }
        // Statements of no evidence have few forms, and certificates few parts.
        #expect(names.count > (["assay": 120, "none": 40, "mitm": 35][set.name] ?? 250))
    }

    /// A case for each engine that no set has.
    private static func added(to set: any VectorSet.Type) throws -> VectorCase? {
        switch set.name {
        case "app-attest":
            let mint = try AppAttestVectorMint(seed: seed, time: time)
            return mint.attestation("added", .reject("counter")) { $0.authenticatorData.counter = 2 }
        case "android-key":
            let mint = try AndroidKeyVectorMint(seed: seed, time: time)
            return mint.attestation("added", .reject("origin")) {
                $0.description.hardwareEnforced[.origin] = .integer(2)
            }
        case "play-integrity":
            let mint = IntegrityVectorMint(seed: seed, time: time)
            return mint.classic("added", .reject("testing-response"), .isTestingResponse, true)
        case "approov":
            let mint = try ApproovVectorMint(seed: seed, time: time)
            return mint.token("added", .reject("token.expiry"), .expiry, nil)
        case "assay":
            let mint = TokenVectorMint(seed: seed, time: time)
            return mint.token("added", .reject("audience")) { $0.claims["aud"] = "added" }
        case "none":
            return NoEvidenceVectorMint(time: time).statement(
                "added", [("reason", "failed")], failed: ["reason"])
        case "mitm": return try CertificateVectorMint(seed: seed, time: time).record("added")
        default: return nil
        }
    }

    @Test("A new case changes no other record", arguments: sets)
    func addition(_ set: any VectorSet.Type) async throws {
        let added = try #require(try Self.added(to: set))
        var drafts = try set.drafts(seed: Self.seed, at: Self.time)
        let index = try #require(
            drafts.firstIndex {
                if case .records(let records) = $0.content, !$0.path.contains("/") { records.count > 1 } else { false }
            })
        guard case .records(var records) = drafts[index].content else { return }
        records.insert(added, at: 1)
        drafts[index].content = .records(records)
        let committed = try Self.committed(set)
        for file in try await VectorJudge.files(drafts) where file.path != drafts[index].path {
            #expect(file.contents == committed[file.path], "\(file.path)")
        }
        let changed = try #require(
            try await VectorJudge.files(drafts).first { $0.path == drafts[index].path }?.contents)
        let (old, new) = (
            try #require(committed[drafts[index].path]).split(separator: "\n"), changed.split(separator: "\n")
        )
        let difference = new.difference(from: old)
        #expect(difference.removals.isEmpty)
        // The longest records carry a record of another kind.
        #expect(difference.insertions.count < 40)
        #expect(changed.contains("added\""))
    }

    @Test("A case whose verdict is another one is refused, with both")
    func wrongExpectation() async throws {
        let mint = try AppAttestVectorMint(seed: Self.seed, time: Self.time)
        let drafts =
            AppAttestVectorPolicies.files + [
                VectorDraft("test-root.pem", text: mint.authority.rootPEM),
                VectorDraft("wrong.json", [mint.attestation("wrong", .reject("counter"))]),
            ]
        let error = await #expect(throws: MintingError.self) { try await VectorJudge.files(drafts) }
        #expect(
            error?.description
                == "wrong.json: wrong expects reject app-attest.attestation.counter, found accept")
    }
}
