import Assay
import AssayCore
import AssayReplay
import AssayTestSupport
import AssayTesting
import Foundation

/// Evidence of a test authority, and replays of it.
struct ReplayCorpus {
    static let time = Date(timeIntervalSince1970: 1_776_795_192)
    static let appID = "1234567890.com.example.shop"

    private static let theAuthority = Result {
        try TestAuthority(seed: "replay", notBefore: time.addingTimeInterval(-400 * 86_400))
    }

    /// The result of a replay.
    struct Outcome {
        /// The lines of NDJSON.
        let lines: String
        let records: [ReplayedRecord]
        let statistics: ReplayStatistics

        /// For each record: `accept`, the first failed check, or the code of the failure.
        var words: [String] { records.map { ReplayCorpus.word($0.judgement) } }
        /// The words for the second policy.
        var wordsAgainst: [String] { records.compactMap { $0.against.map(ReplayCorpus.word) } }
    }

    static func word(_ judgement: ReplayedRecord.Judgement) -> String {
        switch judgement {
        case .failure(let failure): failure.code
        case .verdict(let verdict): verdict.failed.first?.name ?? verdict.outcome.rawValue
        }
    }

    /// A policy that trusts the test authority.
    static func policy(challenge: String = "caller", clientData: String? = nil, extra: String = "") throws
        -> VerificationPolicy
    {
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(appID)]
                  environments: [production]
                  challenge: \(challenge)
                  clientData: \(clientData ?? (challenge == "ledger" ? "raw" : "none"))
                  testRoots: ["file:root.pem"]
                  \(extra)
            """
        return try PolicyFile.parse(text, file: "p.yaml", files: RootFile(pem: theAuthority.get().rootPEM))
    }

    static func key(_ label: String) -> AttestedKey { AttestedKey(seed: "replay", label: label) }

    static func attestation(
        _ id: String, of label: String, device: AppAttestDevice = .iOS26, challenge: String = "challenge",
        at seconds: Double = 0, account: String? = nil
    ) throws -> String {
        let minted = try AttestationBlueprint(
            authority: theAuthority.get(), key: key(label), appID: appID, device: device,
            clientData: .bytes(Array(challenge.utf8)), issuedAt: time
        ).mint()
        var record = minted.record(id: id, receivedAt: time + seconds)
        record.account = account
        return record.jsonLine
    }

    static func assertion(
        _ id: String, of label: String, counter: UInt32, clientData: String = "data", at seconds: Double = 1,
        supplied: UInt32? = nil, expect: EvidenceRecord.Expectation? = nil
    ) throws -> String {
        let minted = try AssertionBlueprint(
            key: key(label), appID: appID, counter: counter, clientData: .bytes(Array(clientData.utf8))
        ).mint()
        return minted.record(id: id, receivedAt: time + seconds, storedCounter: supplied, expect: expect).jsonLine
    }

    /// Replays lines of records.
    ///
    /// - Parameter batchSize: the maximum number of records of a batch.
    static func replay(
        _ lines: [String], _ policies: ReplayPolicies, _ options: ReplayOptions = ReplayOptions(), jobs: Int = 1,
        batchSize: Int = 3
    ) async throws -> Outcome {
        let folder = try KeyFolder()
        let path = try folder.write("corpus.ndjson", lines.joined(separator: "\n") + "\n")
        return try await replay(paths: [path], policies, options, jobs: jobs, batchSize: batchSize)
    }

    /// Replays files and folders.
    static func replay(
        paths: [String], _ policies: ReplayPolicies, _ options: ReplayOptions = ReplayOptions(), jobs: Int = 1,
        batchSize: Int = 3
    ) async throws -> Outcome {
        var reading = CorpusOptions()
        reading.batchSize = batchSize
        var reader = try CorpusReader(paths: paths, options: reading)
        var options = options
        options.jobs = jobs
        var bytes: [UInt8] = []
        var records: [ReplayedRecord] = []
        let statistics = await Replay(policies, options).run(
            &reader,
            render: { batch in
                var lines = ReplayLines()
                for record in batch { lines.add(record) }
                return (lines.bytes, batch)
            },
            consume: { (rendered: ([UInt8], [ReplayedRecord])) in
                bytes += rendered.0
                records += rendered.1
                return true
            })
        if let failure = statistics.failure { throw failure }
        return Outcome(lines: String(decoding: bytes, as: UTF8.self), records: records, statistics: statistics)
    }
}

/// The root of the test authority, in memory.
private struct RootFile: PolicyFiles {
    let pem: String

    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { Array(pem.utf8) }
}
