import CPostgreSQL
import Foundation

/// A connection to the server in pipeline mode, for one thread. It closes with its last reference.
///
/// Pipelines: <https://www.postgresql.org/docs/15/libpq-pipeline-mode.html>. All waiting ends at a deadline.
@safe final class DatabaseConnection {
    private let handle: OpaquePointer
    private let notices: Notices
    private let preparesStatements: Bool
    /// The names of statements that the server has prepared.
    private var prepared: Set<String> = []

    /// Connects to the first host that takes the connection. Blocks until the deadline at the latest, but for the system's search
    /// for the addresses of a name.
    static func open(
        _ target: ConnectionTarget, by deadline: ContinuousClock.Instant
    ) throws(DatabaseFailure) -> DatabaseConnection {
        var failures: [DatabaseFailure] = []
        for (number, host) in target.hosts.enumerated() {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { break }
            do throws(DatabaseFailure) {
                // A host that does not answer leaves time for the others.
                return try DatabaseConnection(host, target, by: .now + left / (target.hosts.count - number))
            } catch {
                failures.append(error)
            }
        }
        throw DatabaseFailure.connecting(failures)
    }

    private init(
        _ host: [(String, String)], _ target: ConnectionTarget, by deadline: ContinuousClock.Instant
    ) throws(DatabaseFailure) {
        guard let handle = unsafe Self.start(host) else {
            throw DatabaseFailure(extent: .connection, state: "53200", message: "libpq has no memory left")
        }
        unsafe self.handle = handle
        notices = Notices()
        preparesStatements = !target.isPooled
        // The text of a refusal then has its SQLSTATE, which libpq keeps for itself.
        _ = unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        try connect(by: deadline, each: target.connectTimeout)
        _ = unsafe PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        unsafe PQsetNoticeReceiver(handle, Self.receive, Unmanaged.passUnretained(notices).toOpaque())
        guard unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1 else {
            throw connectionFailure()
        }
    }

    /// <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PQCONNECTSTARTPARAMS>
    private func connect(by deadline: ContinuousClock.Instant, each timeout: Duration) throws(DatabaseFailure) {
        var next = unsafe PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        var limit = min(deadline, .now + timeout)
        while next != PGRES_POLLING_OK {
            guard next != PGRES_POLLING_FAILED else { throw refusal() }
            do throws(DatabaseFailure) {
                let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
                try wait(Int16(events), by: limit, "connecting to \(host)")
            } catch {
                guard unsafe PQstatus(handle) == CONNECTION_STARTED, ContinuousClock.now < deadline else { throw error }
                // libpq takes this for a refusal, and goes on with the next address of the host's name.
                cut()
                limit = min(deadline, .now + timeout)
            }
            next = unsafe PQconnectPoll(handle)
        }
    }

    private var host: String {
        guard let host = unsafe PQhost(handle), let port = unsafe PQport(handle) else { return "the server" }
        return unsafe "\(String(cString: host)), port \(String(cString: port))"
    }

    deinit {
        unsafe PQfinish(handle)
        withExtendedLifetime(notices) {}
    }

    /// Ends the connection for the server at once. Memory is freed with the last reference.
    func cut() { _ = unsafe shutdown(PQsocket(handle), Int32(SHUT_RDWR)) }

    private static func start(_ keywords: [(String, String)]) -> OpaquePointer? {
        let names = unsafe keywords.map { unsafe strdup($0.0) }
        let values = unsafe keywords.map { unsafe strdup($0.1) }
        defer { unsafe (names + values).forEach { unsafe free($0) } }
        let namePointers = unsafe names.map { unsafe UnsafePointer($0) } + [nil]
        let valuePointers = unsafe values.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe namePointers.withUnsafeBufferPointer { names in
            unsafe valuePointers.withUnsafeBufferPointer { values in
                unsafe PQconnectStartParams(names.baseAddress, values.baseAddress, 0)
            }
        }
    }

    /// The version of the server, such as 150020. A pooler may report another one.
    var serverVersion: Int { Int(unsafe PQserverVersion(handle)) }

    /// The server's process for this session, as it was announced when the connection began. A pooler announces a number of its own.
    var backend: Int64 { Int64(unsafe PQbackendPID(handle)) }

    /// Whether the server has sent a warning since the last call. It precedes the answer that it belongs to.
    func takeWarning() -> String? {
        defer { notices.warning = nil }
        return notices.warning
    }

    // MARK: Pipelines

    /// Executes statements in one transaction, unless they contain BEGIN or COMMIT, in one round trip.
    ///
    /// - Returns: the rows of each.
    /// - Throws: the failure of the first statement that failed.
    func run(_ steps: [Step], by deadline: ContinuousClock.Instant) throws(DatabaseFailure) -> [StatementRows] {
        try run([steps], by: deadline)[0].get()
    }

    /// Executes groups of statements, each in a transaction of its own, in one round trip for all.
    ///
    /// - Throws: the failure of the connection.
    func run(
        _ groups: [[Step]], by deadline: ContinuousClock.Instant
    ) throws(DatabaseFailure) -> [Result<[StatementRows], DatabaseFailure>] {
        guard ContinuousClock.now < deadline else { throw .deadline("sending") }
        var sent: [[Command]] = []
        var preparing: Set<String> = []
        for steps in groups { sent.append(try send(steps, &preparing)) }
        try flush(by: deadline)
        var results: [Result<[StatementRows], DatabaseFailure>] = []
        for commands in sent { results.append(try receive(commands, by: deadline)) }
        return results
    }

    private enum Command {
        case prepare(String)
        case execute
    }

    /// - Parameter preparing: the names of statements that this pipeline prepares already.
    private func send(_ steps: [Step], _ preparing: inout Set<String>) throws(DatabaseFailure) -> [Command] {
        var commands: [Command] = []
        for step in steps {
            let name = preparesStatements ? step.statement.name : ""
            if !name.isEmpty, !prepared.contains(name), preparing.insert(name).inserted {
                let types = step.parameters.types
                try require(
                    unsafe types.withUnsafeBufferPointer { types in
                        unsafe PQsendPrepare(
                            handle, name, step.statement.text, Int32(types.count), types.baseAddress)
                    })
                commands.append(.prepare(name))
            }
            try require(execute(step, name: name))
            commands.append(.execute)
        }
        try require(unsafe PQpipelineSync(handle))
        return commands
    }

    private func execute(_ step: Step, name: String) -> Int32 {
        let parameters = step.parameters
        let count = Int32(parameters.spans.count)
        let lengths = parameters.spans.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.spans.count)
        // One byte more: a value without bytes needs an address, as no address is NULL.
        let bytes = parameters.bytes + [0]
        return unsafe bytes.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = unsafe parameters.spans.map { span in
                unsafe span.flatMap { unsafe base?.advanced(by: $0.lowerBound) }
            }
            return name.isEmpty
                ? unsafe PQsendQueryParams(
                    handle, step.statement.text, count, parameters.types, values, lengths, formats, 1)
                : unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
    }

    /// Reads the results of a group, to its end also after a failure.
    private func receive(
        _ commands: [Command], by deadline: ContinuousClock.Instant
    ) throws(DatabaseFailure) -> Result<[StatementRows], DatabaseFailure> {
        var rows: [StatementRows] = []
        var failure: DatabaseFailure?
        for command in commands {
            guard let result = try next(by: deadline) else { throw unexpected() }
            switch (result.status, command) {
            case (PGRES_COMMAND_OK, .prepare(let name)): prepared.insert(name)
            case (PGRES_COMMAND_OK, .execute), (PGRES_TUPLES_OK, .execute): rows.append(result)
            case (PGRES_PIPELINE_ABORTED, _): break
            default:
                let found = result.failure(unsafe PQstatus(handle) == CONNECTION_OK ? .statement : .connection)
                if found.extent == .connection { throw found }
                failure = failure ?? found
            }
            guard try next(by: deadline) == nil else { throw unexpected() }
        }
        guard let end = try next(by: deadline), end.status == PGRES_PIPELINE_SYNC else { throw unexpected() }
        return failure.map { .failure($0) } ?? .success(rows)
    }

    private func next(by deadline: ContinuousClock.Instant) throws(DatabaseFailure) -> StatementRows? {
        while unsafe PQisBusy(handle) == 1 {
            try wait(Int16(POLLIN), by: deadline, "waiting for an answer")
            guard unsafe PQconsumeInput(handle) == 1 else { throw connectionFailure() }
        }
        guard let result = unsafe PQgetResult(handle) else {
            if unsafe PQstatus(handle) != CONNECTION_OK { throw connectionFailure() }
            return nil
        }
        let rows = unsafe StatementRows(takingOwnershipOf: result)
        if rows.status == PGRES_FATAL_ERROR, unsafe PQstatus(handle) != CONNECTION_OK {
            throw rows.failure(.connection)
        }
        return rows
    }

    /// Sends what libpq holds, and reads meanwhile: a server that cannot send its answers would not read on.
    private func flush(by deadline: ContinuousClock.Instant) throws(DatabaseFailure) {
        while true {
            switch unsafe PQflush(handle) {
            case 0: return
            case 1:
                try wait(Int16(POLLIN | POLLOUT), by: deadline, "sending")
                guard unsafe PQconsumeInput(handle) == 1 else { throw connectionFailure() }
            default: throw connectionFailure()
            }
        }
    }

    private func wait(
        _ events: Int16, by deadline: ContinuousClock.Instant, _ what: String
    ) throws(DatabaseFailure) {
        while true {
            let left = (deadline - ContinuousClock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { throw .deadline(what) }
            let milliseconds = min(left.seconds, 3600) * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1
            var descriptor = pollfd(fd: unsafe PQsocket(handle), events: events, revents: 0)
            // OpenSSL may have buffered data that poll() does not report: the caller asks libpq again.
            let isEncrypted = unsafe PQsslInUse(handle) == 1
            let pause = isEncrypted ? min(milliseconds, 20) : milliseconds
            if unsafe poll(&descriptor, 1, Int32(clamping: pause)) > 0 || isEncrypted { return }
        }
    }

    private func require(_ result: Int32) throws(DatabaseFailure) {
        guard result == 1 else { throw connectionFailure() }
    }

    private func unexpected() -> DatabaseFailure {
        DatabaseFailure(extent: .connection, state: "08P01", message: "the server's answers are out of order")
    }

    private func connectionFailure() -> DatabaseFailure {
        let message = errorLines.joined(separator: " ")
        return DatabaseFailure(
            extent: .connection, state: "08006", message: message.isEmpty ? "the connection was lost" : message)
    }

    /// Why there is no connection.
    private func refusal() -> DatabaseFailure {
        DatabaseFailure(refusal: errorLines.filter { !$0.hasPrefix("LOCATION:") }.joined(separator: " "))
    }

    private var errorLines: [Substring] {
        let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
        // libpq begins some lines with a tab.
        return text.split { $0.isNewline || $0 == "\t" }
    }

    /// The last warning that the server has sent.
    private final class Notices {
        var warning: String?
    }

    private static let receive: PQnoticeReceiver = { context, result in
        guard let context = unsafe context, let result = unsafe result,
            let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V"))),
            unsafe String(cString: severity) == "WARNING"
        else { return }
        let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
        unsafe Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().warning = state ?? "01000"
    }
}
