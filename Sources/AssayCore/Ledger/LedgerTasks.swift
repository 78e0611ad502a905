public import FoundationEssentials

/// Work that is due at a time, which the processes of one ledger share: one process at a time leases a task.
///
/// A task belongs to a queue, and has a key that is unique in its queue. A lease moves the task's ``LedgerTask/dueAt`` to the end of
/// the lease, so that another process can lease it then if the holder died. Each change increments the revision: the holder of an
/// expired lease changes nothing. The audit trail does not mention tasks.
public protocol LedgerTasks: Sendable {
    /// The task of a key; nil if there is none.
    func task(_ key: [UInt8], in queue: String) async throws(LedgerOutage) -> LedgerTask?

    /// Stores a task if the stored revision is the expected one, and ends its lease. It is durable when the function returns.
    ///
    /// - Parameters:
    ///   - key: 1 to ``LedgerTask/maximumKeySize`` bytes.
    ///   - queue: a name as ``LedgerRules/requireStorable(task:in:_:)`` demands. Names are compared byte by byte.
    ///   - bytes: at most ``LedgerTask/maximumSize``.
    ///   - revision: the revision to replace; 0 if there must be no task yet.
    /// - Returns: false, and nothing has changed, if the stored revision is another.
    /// - Throws: ``LedgerOutage``. If the answer was lost, the task may be stored: read it again.
    func putTask(
        _ key: [UInt8], in queue: String, dueAt: Date, bytes: [UInt8], replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool

    /// Removes a task if the stored revision is the expected one. Returns whether it did.
    func removeTask(
        _ key: [UInt8], in queue: String, replacing revision: Int64, at now: Date
    ) async throws(LedgerOutage) -> Bool

    /// Leases tasks that are due, those that are due first. Of racing callers, one gets a task.
    ///
    /// - Parameters:
    ///   - holder: a name of the caller, for operators.
    ///   - end: the end of the leases, later than `now`.
    ///   - limit: the most tasks.
    /// - Returns: the leased tasks with their new revisions, in any order.
    func leaseTasks(
        in queue: String, to holder: String, until end: Date, atMost limit: Int, at now: Date
    ) async throws(LedgerOutage) -> [LedgerTask]

    /// Leases the task of a key, due or not, unless its lease has not ended. Of racing callers, one gets it.
    ///
    /// - Parameters:
    ///   - holder: a name of the caller, for operators.
    ///   - end: the end of the lease, later than `now`.
    /// - Returns: the leased task with its new revision; nil if there is none, or another holder has it.
    func leaseTask(
        _ key: [UInt8], in queue: String, to holder: String, until end: Date, at now: Date
    ) async throws(LedgerOutage) -> LedgerTask?

    /// Tasks of a queue in the order of the bytes of their keys, beginning behind a key.
    ///
    /// - Parameters:
    ///   - key: the last key of the page before; nil for the first page.
    ///   - limit: the most tasks.
    func tasks(
        in queue: String, after key: [UInt8]?, atMost limit: Int
    ) async throws(LedgerOutage) -> [LedgerTask]
}

/// A task of a ledger.
public struct LedgerTask: Sendable, Equatable {
    /// The most bytes of a task: 128 KiB.
    public static let maximumSize = 128 * 1024
    /// The most bytes of a key.
    public static let maximumKeySize = 255

    /// The queue.
    public let queue: String
    /// The key, unique in the queue.
    public let key: [UInt8]
    /// When the task is due, to the microsecond. While it is leased, the end of the lease.
    public let dueAt: Date
    /// The holder of the lease; nil if the task is not leased.
    public let holder: String?
    /// The bytes, as they were stored.
    public let bytes: [UInt8]
    /// 1 for a new task, and one more after each change.
    public let revision: Int64

    /// Describes a task.
    public init(queue: String, key: [UInt8], dueAt: Date, holder: String?, bytes: [UInt8], revision: Int64) {
        (self.queue, self.key, self.dueAt) = (queue, key, dueAt)
        (self.holder, self.bytes, self.revision) = (holder, bytes, revision)
    }

    /// Whether a holder has the task at a time.
    package func isLeased(at now: Date) -> Bool { holder != nil && dueAt.microseconds > now.microseconds }
}

extension LedgerRules {
    /// Throws `internalError` for a task that no ledger stores: a queue that a document could not have as its name, or a key or bytes
    /// of a size that is not allowed.
    public static func requireStorable(task key: [UInt8], in queue: String, _ bytes: [UInt8]) throws(LedgerOutage) {
        if let objection = KeyName.objection(to: queue) {
            throw LedgerOutage(.internalError, "no queue can have the name \(queue.excerpt): \(objection)")
        }
        guard (1...LedgerTask.maximumKeySize).contains(key.count), bytes.count <= LedgerTask.maximumSize else {
            throw LedgerOutage(
                .internalError,
                "a task of queue \(queue) has a key of \(key.count) and content of \(bytes.count) bytes; a ledger stores keys "
                    + "of 1 to \(LedgerTask.maximumKeySize) and content of up to \(LedgerTask.maximumSize) bytes")
        }
    }

    /// What is wrong with a stored task; nil for nothing.
    package static func problem(with task: LedgerTask) -> String? {
        do throws(LedgerOutage) {
            try requireStorable(task: task.key, in: task.queue, task.bytes)
        } catch {
            return error.message
        }
        return task.revision < 1 ? "a task of queue \(task.queue) has the revision \(task.revision)" : nil
    }
}
