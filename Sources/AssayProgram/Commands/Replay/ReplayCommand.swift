import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import AssayReplay
import Foundation

/// `assay replay`: judges captured evidence in bulk.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Verifies captured evidence in bulk, and compares policies.",
        discussion: """
            CORPUS is a file of records, a folder with *.json, *.ndjson and *.jsonl in it, each also with .gz or .zst, or \
            - for standard input. Each record is judged as of its receivedAt, with a ledger that begins empty and ends with \
            the replay: attestations enrol their keys and counters advance, in the order of the corpus. A challenge counts \
            as issued at its first use, because the ledger that issued it is not available.

              assay replay captures/ --policy policy.yaml
              assay replay captures/ --policy policy.yaml --rejected
              assay replay captures/ --against stricter.yaml --report report.html
              assay replay captures/ --json | jq -c 'select(.outcome == "reject")'

            Without --policy, the policy of a file is the policy.yaml nearest to it: in its folder, or in one above it up \
            to CORPUS. --against judges each record under a second policy as well, with a ledger of its own.

            A record whose expect differs from its verdict is a mismatch. Records that cannot be read or judged are \
            reported on standard error, the first ten of each file, and stop the replay only with --strict.

            Exit status: 0 done, whether accepted or rejected, 1 a verdict that its record does not expect, 2 something \
            that could not be read or judged, under either policy, 3 an outage of the ledger or the key store, 64 bad \
            arguments, 74 the output cannot be written, 130 interrupted. The greatest wins. An interrupted replay, or one \
            that an outage or a failed write ends, still writes the summary and the report of what it has judged.
            """)

    @Argument(help: "Files, folders, and - for standard input.", completion: .file())
    var corpus: [String]

    @Flag(help: "Every line is a record, even if a file begins like a JSON document; a file may be empty.")
    var lines = false

    @Flag(
        help:
            "The input is a part of a file, such as that of a worker: the number at the end of sealed records is not compared."
    )
    var part = false

    @OptionGroup(title: "Judging") var judging: ReplayJudgingOptions
    @OptionGroup(title: "Output") var output: ReplayOutputOptions

    func validate() throws {
        guard judging.policy != nil || corpus.contains(where: { $0 != "-" }) else {
            throw ValidationError("standard input has no policy.yaml beside it; give --policy")
        }
        guard judging.against != nil || !output.changed else {
            throw ValidationError("--changed needs --against, the policy to compare with")
        }
    }

    func run() async throws {
        // Otherwise a misspelt path would look like a record that cannot be judged.
        let missing = corpus.filter { $0 != "-" && access($0, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno) }
        guard missing.isEmpty else {
            throw CommandFailure(
                .unreadable, "\(missing.joined(separator: ", ")): there is no such file or folder; nothing was judged")
        }
        let policies = try judging.readPolicies()
        try await judging.withLedger { base in try await replay(policies, on: base) }
    }

    private func replay(_ policies: ReplayPolicies, on base: OpenLedger?) async throws {
        var options = try await judging.options(on: base, corpus: corpus)
        let status: AttestationStatusClient?
        if judging.statusList == .service || judging.againstStatusList == .service {
            status = try judging.statusServer.connection(sharing: base?.ledger ?? MemoryLedger())
        } else {
            status = nil
        }
        if let status, judging.statusList == .service { options.services.append(status) }
        if let status, judging.againstStatusList == .service { options.againstServices?.append(status) }
        options.isMeasured = output.measure
        options.stopsAtFailure = output.strict
        var reading = CorpusOptions()
        reading.isLines = lines
        reading.isPart = part
        let session = ReplaySession(
            replay: Replay(policies, options), reading: reading, output: output, policyName: judging.policyName,
            againstName: judging.against ?? "the other policy")
        do { try await session.run(corpus) } catch {
            await status?.shutdown()
            throw error
        }
        await status?.shutdown()
    }
}
