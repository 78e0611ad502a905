import ArgumentParser
import AssayCore

/// The exit statuses of the program.
enum ExitStatus: Int32, Comparable {
    /// All evidence is accepted, or the command succeeded.
    case success = 0
    /// At least one piece of evidence is rejected, or the answer to a query is no.
    case rejected = 1
    /// Evidence or policy cannot be read.
    case unreadable = 2
    /// The ledger, the key store or a service cannot be reached.
    case outage = 3
    /// A ledger is sound, and settings of its storage put it at risk.
    case settings = 4
    /// Bad arguments (EX_USAGE in sysexits.h).
    case usage = 64
    /// The output cannot be written (EX_IOERR in sysexits.h).
    case output = 74
    /// SIGINT or SIGTERM: what a shell reports for SIGINT (128 + 2).
    case interrupted = 130
    /// The reader of the output closed the pipe: the status that a shell reports for SIGPIPE (128 + 13).
    case brokenPipe = 141

    /// Orders statuses by severity: of several errors, the greatest status is reported.
    static func < (lhs: ExitStatus, rhs: ExitStatus) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Why a command ends early.
struct CommandFailure: Error {
    let status: ExitStatus
    /// The message for standard error; nil if none is needed.
    let message: String?

    init(_ status: ExitStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }

    /// An outage of the ledger, the key store or a service.
    init(_ outage: any Outage) {
        self.init(.outage, outage.description)
    }
}

/// Runs `body`, and then `end`, also after an error.
func finishing<Result>(with end: () async -> Void, _ body: () async throws -> Result) async throws -> Result {
    do {
        let result = try await body()
        await end()
        return result
    } catch {
        await end()
        throw error
    }
}
