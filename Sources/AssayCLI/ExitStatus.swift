import ArgumentParser
import AssayCore

/// What the exit status of the program says.
enum ExitStatus: Int32, Comparable {
    /// All evidence is accepted, or the command did what it was asked.
    case success = 0
    /// At least one piece of evidence is rejected, or the answer is no.
    case rejected = 1
    /// Evidence or policy cannot be read.
    case unreadable = 2
    /// The ledger, the key store or a service cannot be reached.
    case outage = 3
    /// Bad arguments: EX_USAGE of sysexits.h.
    case usage = 64
    /// The output cannot be written: EX_IOERR of sysexits.h.
    case output = 74
    /// The reader of the output has closed it: the status that a shell reports after SIGPIPE.
    case brokenPipe = 141

    /// The greater one wins when several things went wrong.
    static func < (lhs: ExitStatus, rhs: ExitStatus) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Why a command ends early.
struct CommandFailure: Error {
    /// The exit status.
    let status: ExitStatus
    /// What standard error says, and nil when everything has been said.
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
