import ArgumentParser
import Assay
import AssayCore

/// `assay capture redact`: removes sensitive fields.
struct CaptureRedactCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "redact",
            abstract: "Leaves sensitive fields out of records, and prints each record on one line.",
            discussion: """
                \(EngineRegistry.current.sensitiveFields.map(CaptureRedactCommand.describe).joined(separator: "\n"))

                account, deviceToken and every field that the kind does not have are removed as well.

                A policy that looks for the challenge in the client data rejects a record without it. A record of an unknown \
                kind is not printed, because its sensitive fields are not known.

                Exit status: 0, 2 something could not be read, 74 the output cannot be written.
                """)
    }

    @OptionGroup var corpus: CorpusArguments

    func run() throws {
        let engines = EngineRegistry.current
        try corpus.rewrite { (record, _) throws(CaptureError) in try record.redacted(knowing: engines).jsonLine }
    }

    private static func describe(_ field: SensitiveField) -> String {
        let fate: String
        switch field.substitute {
        case .sha256(let name): fate = "becomes its SHA-256 digest in \(name)"
        case .none: fate = "is removed, so the record can no longer be verified"
        }
        let condition = field.condition.map { " \($0)" } ?? ""
        return "\(field.kind) \(field.name)\(condition): \(fate). It reveals \(field.reveals)."
    }
}
