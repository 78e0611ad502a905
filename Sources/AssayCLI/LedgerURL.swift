import ArgumentParser
import AssayCore
import AssayLedgerSQLite
import Foundation

/// Where a ledger is: `memory:` or `sqlite:PATH`.
enum LedgerURL: Equatable {
    /// Gone when the command ends.
    case memory
    /// A SQLite file.
    case sqlite(path: String)

    /// What may be written.
    static let allowed = "memory: (gone when the command ends) and sqlite:PATH"

    /// Reads a URL.
    ///
    /// - Throws: `ValidationError` with what is allowed.
    init(_ text: String) throws {
        if text == "memory:" {
            self = .memory
        } else if text.hasPrefix("sqlite:"), text != "sqlite:" {
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        } else {
            throw ValidationError("no ledger is at \"\(text.prefix(80))\"; allowed are \(LedgerURL.allowed)")
        }
    }

    /// The ledger in the user's state directory (XDG Base Directory Specification).
    static func standard() -> LedgerURL {
        let environment = ProcessInfo.processInfo.environment
        var state = environment["XDG_STATE_HOME"] ?? ""
        // The specification: a relative path is invalid and to be ignored.
        if !state.hasPrefix("/") { state = "\(environment["HOME"] ?? NSHomeDirectory())/.local/state" }
        return .sqlite(path: "\(state)/assay/ledger.sqlite")
    }

    /// The URL as written.
    var description: String {
        switch self {
        case .memory: "memory:"
        case .sqlite(let path): "sqlite:\(path)"
        }
    }

    /// Opens the ledger.
    ///
    /// - Parameter creating: whether a missing file is created; without, it is an outage. A path that is mistyped, or on
    ///   a volume that is not mounted, must not begin a ledger that has forgotten every key and counter.
    /// - Parameter isForgetful: whether what ended long ago is forgotten as the ledger is written to. Not when records are
    ///   judged as of other times than now, which may come in any order.
    func open(creating: Bool, isForgetful: Bool = true) throws(CommandFailure) -> OpenLedger {
        let forgetting: LedgerForgetting = isForgetful ? .byClock { Date() } : .never
        guard case .sqlite(let path) = self else { return .memory(MemoryLedger(forgetting: forgetting)) }
        let isNew = LedgerURL.isMissing(path)
        if isNew {
            guard creating else {
                throw CommandFailure(
                    LedgerOutage(
                        .unreachable,
                        "there is no ledger at \(path); name another one with --ledger, or begin one with "
                            + "`assay challenge issue`, `assay keys add` or `assay keys import`, or with --create-ledger of `assay verify`, "
                            + "`assay ledger block` and `assay ledger allow`"
                    ))
            }
            if self == LedgerURL.standard() { try LedgerURL.createFolder(of: path) }
        }
        do {
            let ledger = try SQLiteLedger.open(path: path, forgetting: forgetting)
            if isNew { Console.note("a new ledger begins at \(path)") }
            return .sqlite(ledger)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Whether a ledger would begin here: there is nothing, or a file without a byte, which knows as little.
    private static func isMissing(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    /// Makes the folder of the standard ledger, for its user alone.
    private static func createFolder(of path: String) throws(CommandFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                LedgerOutage(.unreachable, "the folder \(folder.path) cannot be created: \(error.localizedDescription)")
            )
        }
    }
}

/// A ledger that is open, to be closed at the end.
enum OpenLedger {
    case memory(MemoryLedger)
    case sqlite(SQLiteLedger)

    /// The ledger itself.
    var ledger: any Ledger {
        switch self {
        case .memory(let ledger): ledger
        case .sqlite(let ledger): ledger
        }
    }

    /// Closes the file. What was answered is durable already, so that a failure here is only told.
    func close() {
        guard case .sqlite(let ledger) = self else { return }
        do {
            try ledger.close()
        } catch {
            Console.note(error.description)
        }
    }
}
