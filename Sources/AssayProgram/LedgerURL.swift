import ArgumentParser
import AssayCore
import AssayLedgerPostgreSQL
import AssayLedgerSQLite
import Foundation

/// The location of a ledger: `memory:`, `sqlite:PATH` or `postgresql://...`. Only this type selects ledger implementations.
enum LedgerURL: Equatable {
    /// In memory, until the command ends.
    case memory
    /// A SQLite file.
    case sqlite(path: String)
    /// A PostgreSQL database. The URL contains no password.
    case postgresql(url: String)

    static let durableForm = "sqlite:PATH or postgresql://..."
    /// The allowed URLs, for messages.
    static let allowed = "memory: (gone when the command ends) and \(durableForm)"

    /// Parses a URL. Throws `ValidationError` that lists the allowed forms.
    init(_ text: String) throws {
        if text == "memory:" {
            self = .memory
        } else if text.hasPrefix("sqlite:"), text != "sqlite:" {
            self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
        } else if let colon = text.firstIndex(of: ":"),
            ["postgresql", "postgres"].contains(text[..<colon].lowercased())
        {
            // Schemes are case-insensitive (RFC 3986 section 3.1), but libpq accepts lower case only.
            let url = text[..<colon].lowercased() + text[colon...]
            self = .postgresql(url: url)
            // The message does not repeat the text, which may contain a password.
            if let objection = PostgreSQLLedger.objection(to: url) { throw ValidationError(objection.description) }
        } else {
            throw ValidationError(
                "no ledger is at \"\(LedgerURL.shown(text) ?? String(text.prefix(80)))\"; allowed are \(LedgerURL.allowed)\(LedgerURL.advice(on: text))"
            )
        }
    }

    /// The scheme of a URL, for messages: the URL may contain a password. Nil for other texts, which messages may show.
    static func shown(_ text: String) -> String? {
        if let end = text.firstRange(of: "://") { return "\(text[..<end.lowerBound])://..." }
        guard let colon = text.firstIndex(of: ":"),
            Nearest.names(to: text[..<colon].lowercased(), among: ["sqlite", "memory", "postgresql"]).first
                == "postgresql"
        else { return nil }
        return "\(text[..<colon]):..."
    }

    /// A suggestion: a path lacks the scheme, or the scheme is misspelt.
    private static func advice(on text: String) -> String {
        guard let colon = text.firstIndex(of: ":") else {
            if text == "memory" { return "; did you mean memory:?" }
            let isPath = text.contains("/") || text.contains(".") || !isMissing(text)
            return isPath ? "; did you mean sqlite:\(text.prefix(80))?" : ""
        }
        let rest = text[text.index(after: colon)...].prefix(80)
        let nearest = Nearest.names(to: String(text[..<colon]), among: ["sqlite", "memory", "postgresql"])
        guard let scheme = nearest.first else { return "" }
        if scheme == "postgresql" { return "; did you mean postgresql:?" }
        if shown(text) != nil { return "; did you mean \(scheme):?" }
        return scheme == "memory"
            ? "; did you mean memory:?" : "; did you mean sqlite:\(rest.isEmpty ? "PATH" : rest)?"
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
        case .postgresql(let url): url
        }
    }

    /// Opens the ledger, runs `body` and closes the ledger. Converts outages to `CommandFailure`.
    ///
    /// - Parameters:
    ///   - creating: whether to create a missing file. If false, a missing file is an outage: a mistyped path or an
    ///     unmounted volume must not start an empty ledger.
    ///   - isPurged: whether to delete long-expired entries. False if records are judged as of other times than now, in
    ///     any order.
    func withLedger<Result>(
        creating: Bool, isPurged: Bool = true, _ body: (OpenLedger) async throws -> Result
    ) async throws -> Result {
        let open = try await open(creating: creating, purging: isPurged ? .byClock { Date() } : .never)
        return try await finishing(with: open.close) {
            do {
                return try await body(open)
            } catch let outage as any Outage {
                throw CommandFailure(outage)
            } catch let failure as KeyStoreFailure {
                throw CommandFailure(failure)
            }
        }
    }

    /// Checks the file of a ledger that cannot be opened. Empty if the file is missing, not a database, or sound.
    func damage() -> [String] {
        guard case .sqlite(let path) = self, !LedgerURL.isMissing(path) else { return [] }
        return (try? SQLiteLedger.problems(withFileAt: path)) ?? []
    }

    /// Never creates a ledger in PostgreSQL: `assay ledger create` does that, under another role.
    private func open(creating: Bool, purging: LedgerPurging) async throws(CommandFailure) -> OpenLedger {
        do {
            switch self {
            case .memory: return OpenLedger(ledger: MemoryLedger(purging: purging), keys: nil)
            case .sqlite(let path): return try open(path, creating: creating, purging: purging)
            case .postgresql(let url):
                let ledger = try await PostgreSQLLedger.open(url, purging: purging)
                if url.contains("durability=waived") {
                    Console.note("the server of the ledger may forget what it has committed: durability=waived")
                }
                return OpenLedger(ledger: ledger, keys: ledger)
            }
        } catch {
            throw CommandFailure(opening: error)
        }
    }

    /// Creates the ledger in a file unless it exists. Returns whether it is new.
    func createFile(_ path: String) async throws -> Bool {
        let isNew = LedgerURL.isMissing(path)
        try await withLedger(creating: true) { _ in }
        return isNew
    }

    /// Opens the ledger to move it, even if it was moved before.
    ///
    /// - Parameter creating: whether to create a missing file.
    func openToMove(creating: Bool) async throws(CommandFailure) -> any MovableLedger & LedgerAdministration {
        do {
            switch self {
            case .postgresql(let url): return try await PostgreSQLLedger.openToMove(url)
            case .sqlite(let path):
                guard creating || !LedgerURL.isMissing(path) else {
                    throw LedgerOutage(.unreachable, "there is no ledger at \(path)")
                }
                return try SQLiteLedger.openToMove(path: path)
            case .memory: throw LedgerOutage(.unreachable, "memory: holds nothing to move, and keeps nothing")
            }
        } catch {
            throw CommandFailure(opening: error)
        }
    }

    private func open(_ path: String, creating: Bool, purging: LedgerPurging) throws(LedgerOutage) -> OpenLedger {
        var isNew = LedgerURL.isMissing(path)
        // Another process may be creating it.
        for _ in 0..<100 where isNew && access(path, F_OK) == 0 {
            usleep(20_000)
            isNew = LedgerURL.isMissing(path)
        }
        if isNew {
            guard access(path, F_OK) != 0 else {
                throw LedgerOutage(
                    .unreachable,
                    "there is no ledger at \(path), a file of 0 bytes: restore the ledger, or, if no program uses it, remove the file to begin a new one"
                )
            }
            guard creating else {
                throw LedgerOutage(
                    .unreachable,
                    "there is no ledger at \(path); restore it if there was one, name another one with --ledger, or begin one "
                        + "with `assay ledger create`, `assay challenge issue`, `assay operators add`, `assay keys add` or "
                        + "`assay keys import`, or with --create-ledger of `assay serve`, `assay verify`, `assay ledger block` "
                        + "and `assay ledger allow`")
            }
            if self == LedgerURL.standard() { try LedgerURL.createFolder(of: path) }
        }
        let ledger = try SQLiteLedger.open(path: path, purging: purging)
        if isNew { Console.note("created a new ledger at \(path)") }
        return OpenLedger(ledger: ledger, keys: ledger)
    }

    /// Whether it is a file that does not exist, or is empty.
    var isMissingFile: Bool {
        if case .sqlite(let path) = self { LedgerURL.isMissing(path) } else { false }
    }

    /// Whether the file is missing or empty.
    private static func isMissing(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    /// Creates the folder of the standard ledger, accessible to its user only.
    private static func createFolder(of path: String) throws(LedgerOutage) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw LedgerOutage(
                .unreachable, "the folder \(folder.path) cannot be created: \(error.localizedDescription)")
        }
    }
}

extension CommandFailure {
    /// A ledger that cannot be opened or created: an outage, or a URL that cannot be used.
    init(opening error: any Error) {
        self.init(error as? LedgerOutage ?? LedgerOutage(.unreachable, "\(error)"))
    }
}

/// An open ledger and the storage of its key store.
struct OpenLedger: Sendable {
    let ledger: any LedgerAdministration
    /// The sealed keys; nil if the ledger stores none.
    let keys: (any SealedKeyStorage)?

    /// Closes the ledger. A failure is only printed as a note, because all commits are durable already.
    fileprivate func close() async {
        do {
            try await ledger.close()
        } catch {
            Console.note(error.description)
        }
    }
}
