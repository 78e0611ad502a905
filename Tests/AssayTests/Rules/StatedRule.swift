import Assay
import AssayCore
import AssayVectors
import Foundation
import Testing

/// A rule that a policy states, and evidence that does not meet it.
///
/// The policy is that of minted vectors with some lines of one section changed. Before the change, the evidence is accepted.
struct StatedRule: Sendable, CustomTestStringConvertible {
    /// What becomes of the rule.
    enum Consequence: Sendable {
        /// The evidence is rejected, and this check has failed; its name follows the engine's. `*` is any check.
        case rejected(String)
        /// No key is left that may be used. The evidence is not judged, and the error names the keys.
        case withoutKey
        /// `policy check` warns of the field.
        case warned
    }

    /// The minted vectors: a file below the folder of the engine, and the record that is judged last.
    struct Evidence: Sendable {
        let file: String
        let id: String
        /// A part of the record to replace.
        var part: (from: String, to: String)?

        init(_ file: String, _ id: String, replacing part: (from: String, to: String)? = nil) {
            self.file = file
            self.id = id
            self.part = part
        }
    }

    /// The folder of the engine's vectors, and the beginning of its checks.
    let engine: String
    /// The section of the policy.
    let section: String
    /// The path of the field that states the rule.
    let field: String
    /// The value of its outermost field.
    var value: String
    let evidence: Evidence
    let consequence: Consequence
    /// The folder of the policy below that of the engine.
    var folder = ""
    /// The app of the policy.
    var app = "vectors"
    /// Other lines of the section, before and after the change.
    var besides: [String] = []
    /// Lines that come with the rule.
    var with: [String] = []
    /// Fields to leave away, before and after the change.
    var without: [String] = []

    var testDescription: String { "\(section).\(field): \(value)" }

    /// The name of the outermost field.
    var name: String { field.split(separator: ".").first.map(String.init) ?? field }

    /// The policy with the rule, or as it was.
    func policy(_ files: [VectorFile], isStated: Bool) throws -> (policy: VerificationPolicy, text: String) {
        let path = "\(folder)policy.yaml"
        var changed: [VectorFile] = []
        var text = ""
        for file in files {
            guard file.path == path else {
                changed.append(file)
                continue
            }
            text = change(file.contents, isStated: isStated)
            changed.append(VectorFile(path: path, contents: text))
        }
        return (try VectorPolicies(files: changed).policy(folder), text)
    }

    private func change(_ text: String, isStated: Bool) -> String {
        var lines = besides
        if isStated { lines = besides.filter { $0.prefix { $0 != ":" } != name } + ["\(name): \(value)"] + with }
        let dropped = lines.map { String($0.prefix { $0 != ":" }) } + without
        var result: [String] = []
        var (isInApp, isInSection, isDropping) = (false, false, false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let depth = line.prefix { $0 == " " }.count
            if line.hasPrefix("  - name: ") { isInApp = line == "  - name: \(app)" }
            if depth < 6, !line.isEmpty { (isInSection, isDropping) = (false, false) }
            if isInSection, depth == 6 {
                isDropping = dropped.contains(String(line.dropFirst(6).prefix { $0 != ":" }))
            }
            if !isDropping { result.append(line) }
            if isInApp, line == "    \(section):" {
                isInSection = true
                result += lines.map { "      \($0)" }
            }
        }
        return result.joined(separator: "\n")
    }

    /// The verdict on the evidence under a policy. The records before it are judged with the same ledger.
    func verdict(_ files: [VectorFile], under policy: VerificationPolicy) async throws -> Verdict? {
        let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
        guard let file = files.first(where: { $0.path == evidence.file }) else { return nil }
        for result in RecordFile.read(Array(file.contents.utf8)) {
            var record = try result.get()
            guard let time = record.receivedAt else { continue }
            if record.id == evidence.id, let part = evidence.part {
                let line = record.jsonLine
                guard line.contains(part.from) else { return nil }
                record = try RecordFile.read(Array(line.replacing(part.from, with: part.to).utf8))[0].get()
            }
            // Records of other apps have another policy.
            guard record.app == nil || record.app == app else { continue }
            let verdict = try await verifier.verify(record, at: time)
            if record.id == evidence.id { return verdict }
        }
        return nil
    }
}
