import Assay
import Foundation

/// Verifies the records of a file under a policy, each as of its receivedAt, and prints every check.
///
///     AssayDemo POLICY RECORDS [ID]
///
/// Exit status: 0 all accepted, 1 at least one rejected, 2 there is no verdict.
@main
struct Demo {
    static func main() async {
        let arguments = CommandLine.arguments
        do {
            guard (3...4).contains(arguments.count) else { throw Failure("usage: AssayDemo POLICY RECORDS [ID]") }
            let areAccepted = try await verify(
                arguments[2], under: arguments[1], only: arguments.count == 4 ? arguments[3] : nil)
            exit(areAccepted ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(2)
        }
    }

    /// Verifies the records of a file, or the one with an ID. Returns whether all are accepted.
    private static func verify(_ records: String, under policy: String, only id: String?) async throws -> Bool {
        let verifier = Verifier(policy: try PolicyFile.load(path: policy), ledger: MemoryLedger())
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: records)))
        var outcomes: [Verdict.Outcome] = []
        for record in try RecordFile.read(bytes).map({ try $0.get() }) where id == nil || record.id == id {
            guard let time = record.receivedAt else { throw Failure("\(records): a record has no receivedAt") }
            let verdict = try await verifier.verify(record, at: time)
            if !outcomes.isEmpty { print("") }
            show(verdict, id: record.id ?? records)
            outcomes.append(verdict.outcome)
        }
        guard !outcomes.isEmpty else { throw Failure("\(records): there is no such record") }
        return !outcomes.contains(.reject)
    }

    private static func show(_ verdict: Verdict, id: String) {
        let app = verdict.app.map { "app \($0)" } ?? "no app"
        print("\(verdict.outcome == .accept ? "ACCEPTED" : "REJECTED")  \(id)  \(verdict.kind)  \(app)")
        var behind: [CheckID: Int] = [:]
        for result in verdict.checks {
            if case .check(let gate)? = result.because {
                behind[gate, default: 0] += 1
                continue
            }
            let isBad = result.status == .failed || result.status == .annotated
            let status = result.status.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)
            let reason = result.because.map { "  (because: \($0))" } ?? ""
            let code = isBad ? result.finding.map { "  \($0.code)" } ?? "" : ""
            print("  \(mark(result.status)) \(status) \(result.check)\(reason)\(code)")
            if let finding = result.finding { print("              \(finding.detail)") }
        }
        for (gate, count) in behind.sorted(by: { $0.key < $1.key }) {
            print("  - skipped   \(count) checks  (because: \(gate))")
        }
        let fields = verdict.subject?.fields ?? []
        let width = fields.map(\.name.count).max() ?? 0
        if !fields.isEmpty { print("") }
        for field in fields {
            print("  \(field.name.padding(toLength: width, withPad: " ", startingAt: 0))  \(words(field.value))")
        }
        print("")
        if let authority = verdict.testAuthority {
            print("  ! rests on a test authority, not on the platform's own: \(authority)")
        }
        print("  judged at \(verdict.judgedAt.formatted(.iso8601))")
        guard let first = verdict.checks.first(where: { $0.status == .failed }) else { return }
        if let remedy = verdict.remedy { print("  remedy for the client: \(remedy.rawValue)") }
        print("  rejected because: \(first.check): \(first.finding?.detail ?? "no detail")")
    }

    private static func mark(_ status: CheckResult.Status) -> String {
        switch status {
        case .passed: "+"
        case .failed: "x"
        case .annotated: "!"
        case .skipped: "-"
        }
    }

    private static func words(_ value: SubjectField.Value) -> String {
        switch value {
        case .text(let text): text.isEmpty ? "(empty)" : text
        case .texts(let texts): texts.isEmpty ? "none" : texts.joined(separator: ", ")
        case .integer(let number): "\(number)"
        case .integers(let numbers): numbers.isEmpty ? "none" : numbers.map { "\($0)" }.joined(separator: ", ")
        case .flag(let flag): flag ? "yes" : "no"
        case .object(let fields): fields.map { "\($0.name) \(words($0.value))" }.joined(separator: ", ")
        case .objects(let groups): groups.map { words(.object($0)) }.joined(separator: "; ")
        @unknown default: "\(value)"
        }
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
