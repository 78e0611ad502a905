import Assay
import AssayInspection
import Foundation

/// Judges the evidence in an inspection that can be judged without other inputs.
struct InspectionJudgement {
    private let records: RecordVerification
    private let file: String
    private(set) var report: VerdictReport
    /// Layers with evidence that cannot be judged without further inputs.
    private var incomplete: [InspectionLayer] = []

    /// Prepares a judgement; `time` is nil for `receivedAt`, `file` appears in advice.
    init(verifier: Verifier, app: String?, time: Date?, file: String, report: VerdictReport) {
        records = RecordVerification(verifier: verifier, app: app, time: time)
        self.file = file
        self.report = report
    }

    mutating func judge(_ layer: InspectionLayer) async throws(CommandFailure) {
        if layer.format == RecordFormat.name {
            _ = try await records.verify(layer.bytes, of: layer.name, into: &report)
            report.endFile(layer.name)
            return
        }
        if let record = EngineRegistry.current.inspector.record(of: layer) {
            let fields = record.evidence.members.map(\.name).joined(separator: ", ")
            Console.note(
                "\(layer.name): judged with the values that it carries itself (\(fields)), so that a verdict shows nothing "
                    + "about which request it answers")
            _ = try await records.verify(record, of: layer.name, into: &report)
            return
        }
        if EngineRegistry.current.inspector.kind(of: layer) != nil {
            incomplete.append(layer)
            return
        }
        for nested in layer.nested { try await judge(nested) }
    }

    /// Prints what was not judged and why. Throws if evidence was rejected or nothing was judged.
    func finish() throws(CommandFailure) {
        for layer in incomplete { Console.note(advice(layer)) }
        try report.finish()
        guard report.count > 0 else {
            let reason =
                incomplete.isEmpty ? "nothing here is evidence that a policy applies to" : "nothing could be verified"
            throw CommandFailure(.unreadable, "\(InputFile.name(file)): \(reason)")
        }
    }

    private func advice(_ layer: InspectionLayer) -> String {
        guard let kind = EngineRegistry.current.inspector.kind(of: layer),
            let raw = RawKindArgument(argument: kind.name)
        else {
            return "\(layer.name): it is judged as part of a record only"
        }
        let options = raw.evidenceOptions.joined(separator: ", ")
        return
            "\(layer.name): this alone is not enough to be judged; `assay verify --kind \(kind) --policy POLICY \(file)` "
            + "takes what is missing with the options \(options)"
    }
}
