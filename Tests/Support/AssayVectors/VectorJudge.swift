package import Assay
package import AssayCore
package import AssayTesting
import Foundation

/// Mints the records of drafts and judges them under the policies in their folders.
///
/// A case names the checks that must fail. The failure codes come from the verdict. The files in `TestVectors` pin
/// them: a changed code is a changed line.
package enum VectorJudge {
    /// The files of drafts.
    ///
    /// - Throws: ``MintingError`` for an unexpected verdict, with both verdicts.
    package static func files(
        _ drafts: [VectorDraft], engines: EngineRegistry = .standard
    ) async throws(MintingError) -> [VectorFile] {
        let texts = drafts.compactMap { draft in
            if case .text(let text, let isSecret) = draft.content {
                VectorFile(path: draft.path, contents: text, isSecret: isSecret)
            } else {
                nil
            }
        }
        var files: [VectorFile] = []
        for draft in drafts {
            guard case .records(let records) = draft.content else { continue }
            files.append(try await judge(records, of: draft.path, policies: texts, engines))
        }
        return texts + files
    }

    private static func judge(
        _ records: [VectorCase], of path: String, policies: [VectorFile], _ engines: EngineRegistry
    ) async throws(MintingError) -> VectorFile {
        let folder = VectorFile(path: path, contents: "").folder
        var judged: [EvidenceRecord] = []
        do {
            let policy = try VectorPolicies(files: policies).policy(folder, engines: engines)
            let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: engines, use: .analysis)
            for mint in records {
                let record = try mint()
                guard let time = record.receivedAt else { throw MintingError("\(record.id ?? "?") has no time") }
                judged.append(try record.naming(codesOf: await verifier.verify(record, at: time)))
            }
        } catch {
            throw MintingError("\(path): \(error)")
        }
        return VectorFile(path: path, contents: EvidenceRecord.json(judged))
    }
}

extension EvidenceRecord {
    /// Adds the codes of a verdict to the record. Throws unless the checks that the record names fail.
    fileprivate func naming(codesOf verdict: Verdict) throws(MintingError) -> EvidenceRecord {
        let found = verdict.checks.filter { $0.status == .failed }
            .map { Expectation.Failure(check: $0.check.name, code: $0.finding?.code) }
        guard let expect, expect.outcome == verdict.outcome, expect.failed.map(\.check) == found.map(\.check) else {
            throw MintingError(
                "\(id ?? "?") expects \(expect?.words ?? "nothing"), found "
                    + Expectation(outcome: verdict.outcome, failed: found).words)
        }
        var record = self
        record.expect = Expectation(outcome: expect.outcome, failed: found)
        return record
    }
}

/// Reads the policies among minted files from memory.
package struct VectorPolicies: PolicyFiles {
    private let files: [VectorFile]
    private var folder = ""

    package init(files: [VectorFile]) { self.files = files }

    /// The policy of a folder, whose name ends with a slash.
    package func policy(_ folder: String = "", engines: EngineRegistry = .standard) throws -> VerificationPolicy {
        guard let file = files.first(where: { $0.path == "\(folder)policy.yaml" }) else {
            throw MintingError("there is no \(folder)policy.yaml")
        }
        var files = self
        files.folder = folder
        return try PolicyFile.parse(file.contents, file: file.path, files: files, engines: engines)
    }

    package func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        let path = URL(fileURLWithPath: "/" + folder + (try node.text().dropFirst("file:".count))).standardized.path
        guard let file = files.first(where: { "/" + $0.path == path }) else { throw node.error("no such file \(path)") }
        return Array(file.contents.utf8)
    }
}
