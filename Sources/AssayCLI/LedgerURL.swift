import ArgumentParser
import AssayCore
import AssayKeyStore
import AssayLedgerSQLite
import Foundation

/// The location of a ledger: `memory:` or `sqlite:PATH`. Only this type selects ledger implementations.
enum LedgerURL: Equatable {
    /// In memory, until the command ends.
    case memory
    /// A SQLite file.
    case sqlite(path: String)

    /// The URL form of a durable ledger.
    static let durableForm = "sqlite:PATH"
    /// The allowed URLs, for messages.
    static let allowed = "memory: (gone when the command ends) and \(durableForm)"

    /// Parses a URL. Throws `ValidationError` that lists the allowed forms.
    init(_ text: String) throws {
        if text == "memory:" {
            self = .memory
        } else if text.hasPrefix("sqlite:"), text != "sqlite:" {
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        } else {
            throw ValidationError(
                "no ledger is at \"\(text.prefix(80))\"; allowed are \(LedgerURL.allowed)\(LedgerURL.advice(on: text))")
        }
    }

    /// The URL that may be meant: a path has no scheme, and a scheme may be misspelt.
    private static func advice(on text: String) -> String {
        guard let colon = text.firstIndex(of: ":") else {
            if text == "memory" { return "; did you mean memory:?" }
            let isPath = text.contains("/") || text.contains(".") || !isMissing(text)
            return isPath ? "; did you mean sqlite:\(text.prefix(80))?" : ""
        }
        let nearest = Nearest.names(to: String(text[..<colon]), among: ["sqlite", "memory"])
        guard let scheme = nearest.first else { return "" }
        return scheme == "memory"
            ? "; did you mean memory:?" : "; did you mean sqlite:\(text[text.index(after: colon)...].prefix(80))?"
    }

    /// The ledger in the user's state directory (XDG Base Directory Specification).
    static func standard() -> LedgerURL {
        let environment = ProcessInfo.processInfo.environment
        var state = environment["XDG_STATE_HOME"] ?? ""
        // Relative paths are invalid and to be ignored (XDG Base Directory Specification).
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

    /// Opens the ledger, runs `body` and closes the ledger.
    ///
    /// - Parameters:
    ///   - creating: whether to create a missing file. If false, a missing file is an outage: a mistyped path or an
    ///     unmounted volume must not start an empty ledger.
    ///   - isPurged: whether to delete long-expired entries. False if records are judged as of other times than now, in
    ///     any order.
    func withLedger<Result>(
        creating: Bool, isPurged: Bool = true, _ body: (OpenLedger) async throws -> Result
    ) async throws -> Result {
        let open = try open(creating: creating, purging: isPurged ? .byClock { Date() } : .never)
        do {
            let result = try await body(open)
            await open.close()
            return result
        } catch {
            await open.close()
            throw error
        }
    }

    private func open(creating: Bool, purging: LedgerPurging) throws(CommandFailure) -> OpenLedger {
        guard case .sqlite(let path) = self else {
            return OpenLedger(ledger: MemoryLedger(purging: purging), keys: nil)
        }
        let isNew = LedgerURL.isMissing(path)
        if isNew {
            guard creating else {
                throw CommandFailure(
                    LedgerOutage(
                        .unreachable,
                        "there is no ledger at \(path); name another one with --ledger, or begin one with "
                            + "`assay challenge issue`, `assay operators add`, `assay keys add` or `assay keys import`, or with "
                            + "--create-ledger of `assay verify`, `assay ledger block` and `assay ledger allow`"
                    ))
            }
            if self == LedgerURL.standard() { try LedgerURL.createFolder(of: path) }
        }
        do {
            let ledger = try SQLiteLedger.open(path: path, purging: purging)
            if isNew { Console.note("created a new ledger at \(path)") }
            return OpenLedger(ledger: ledger, keys: ledger)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Whether the file is missing or empty.
    private static func isMissing(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    /// Creates the folder of the standard ledger, accessible to its user only.
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

/// An open ledger and the storage of its key store.
struct OpenLedger: Sendable {
    /// The ledger.
    let ledger: any LedgerAdministration
    /// The sealed keys; nil if the ledger stores none.
    let keys: (any SealedKeyStorage)?

    /// Closes the ledger. A failure is only noted: all commits are already durable.
    fileprivate func close() async {
        do {
            try await ledger.close()
        } catch {
            Console.note(error.description)
        }
    }
}
