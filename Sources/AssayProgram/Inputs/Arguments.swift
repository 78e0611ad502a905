import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// Reads policies that the command line names.
enum PolicyArgument {
    /// Reads a policy file. Prints a note on unknown names in it, which may be misspelt.
    static func read(_ path: String) throws(CommandFailure) -> VerificationPolicy {
        do {
            let policy = try PolicyFile.load(path: path, engines: .current)
            for note in policy.notes { Console.note(note) }
            return policy
        } catch {
            throw CommandFailure(.unreadable, error.description)
        }
    }
}

/// Reads the one record of a file that the command line names.
enum RecordArgument {
    static func read(_ file: String) throws(CommandFailure) -> EvidenceRecord {
        let records = RecordFile.read(try InputFile.read(file, limit: InputLimits.record))
        switch records.count == 1 ? records.first : nil {
        case .success(let record): return record
        case .failure(let error): throw CommandFailure(.unreadable, "\(InputFile.name(file)): \(error.error)")
        case nil:
            throw CommandFailure(.unreadable, "\(InputFile.name(file)): expected one record, found \(records.count)")
        }
    }
}

extension CommandFailure {
    /// A record that gives no verdict.
    init(_ error: VerificationError, of file: String) {
        switch error {
        case .outage(let outage): self.init(outage)
        case .record(let error): self.init(.unreadable, "\(InputFile.name(file)): \(error)")
        case .request(let error): self.init(.unreadable, error.message)
        }
    }
}

/// Parses times and durations on the command line.
enum TimeArgument {
    /// Parses an RFC 3339 time.
    static func time(_ text: String) throws -> Date {
        guard let time = RFC3339.parse(text) else {
            throw ValidationError(
                "expected an RFC 3339 time such as 2026-04-21T18:13:12Z, found \"\(text.prefix(40))\"")
        }
        return time
    }

    /// Parses a duration as in policies. Returns seconds, more than zero and at most a hundred years.
    static func duration(_ text: String) throws -> Double {
        let seconds: Double
        do {
            seconds = try PolicyNode(.scalar(text), path: "", line: 0, file: nil).duration()
        } catch {
            throw ValidationError(error.message)
        }
        guard seconds > 0, seconds <= 36_500 * 86_400 else {
            throw ValidationError("expected a length of time from 1s to 36500d, found \"\(text.prefix(40))\"")
        }
        return seconds
    }
}

/// The argument parser's key for an option or a group of options.
struct OptionKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension CompletionKind {
    /// The files of policies and configurations.
    static var yaml: CompletionKind { .file(extensions: ["yaml", "yml"]) }
}
