import Assay
import AssayService
import Foundation

/// Writes to standard output and standard error.
package enum Console {
    /// The descriptors of standard output and standard error. Tests replace them.
    @TaskLocal package static var output: Int32 = STDOUT_FILENO
    @TaskLocal package static var errors: Int32 = STDERR_FILENO

    /// Cached: reading the environment copies it.
    private static let (standardOutput, standardError) = (Terminal(STDOUT_FILENO), Terminal(STDERR_FILENO))

    /// Writes a line to standard output. Throws ``CommandFailure`` on an error; for a closed pipe without a message.
    static func print(_ line: String) throws(CommandFailure) {
        try write(Array((line + "\n").utf8))
    }

    /// Writes a line to standard output, and escapes what a terminal would interpret.
    static func print(escaping line: String) throws(CommandFailure) { try print(standardOutput.printable(line)) }

    /// Writes a JSON object to standard output. Members that are nil are left out.
    static func print(json members: KeyValuePairs<String, (any JSONValue)?>) throws(CommandFailure) {
        try print(JSONObject(members).text)
    }

    /// Writes rows with aligned columns to standard output.
    static func print(table rows: [[String]]) throws(CommandFailure) {
        try print(standardOutput.table(rows).joined(separator: "\n"))
    }

    /// Writes lines to standard output. Throws as ``print(_:)`` does.
    static func write(_ lines: [UInt8]) throws(CommandFailure) {
        let failure = write(lines, to: output)
        guard failure != EPIPE else { throw CommandFailure(.brokenPipe) }
        guard failure == 0 else {
            throw CommandFailure(.output, "standard output cannot be written: \(SystemError.text(failure))")
        }
    }

    /// Whether the log of the service takes notes in place of standard error.
    @TaskLocal static var isLogged = false

    /// Writes a note to standard error, or to the log of the service.
    static func note(_ text: String) {
        if isLogged { ServiceLog.note(text) } else { complain("note: \(text)") }
    }

    /// Writes a line to standard error. Errors are ignored.
    static func complain(_ line: String) {
        _ = write(Array((standardError.printable(line) + "\n").utf8), to: errors)
    }

    /// Writes text with control sequences to standard error. The caller checks that it is a terminal.
    static func show(_ text: String) {
        _ = write(Array(text.utf8), to: errors)
    }

    /// Writes all bytes. Returns 0 or the error number.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

/// The system's descriptions of error numbers.
enum SystemError {
    static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
