import Logging
import NIOCore
import Synchronization

/// The connections of a listener.
///
/// A connection beyond the limit takes the place of those that have been idle for longest: idle clients cannot keep others out, nor
/// the probe of a failover instance. If none is idle, the connection is answered that there are too many.
final class ConnectionTable: Sendable {
    /// Asks a connection to end if it is still idle.
    struct Eviction: Sendable {}

    /// A connection of the table.
    final class Connection: Sendable {
        fileprivate let channel: any Channel
        private let table: ConnectionTable
        fileprivate let admitted = Atomic(true)
        /// When it began to wait for a request, in nanoseconds; 0 while one is read or answered.
        fileprivate let idleSince = Atomic(NIODeadline.now().uptimeNanoseconds)

        fileprivate init(_ channel: any Channel, _ table: ConnectionTable) {
            self.channel = channel
            self.table = table
        }

        /// Whether its requests are judged.
        var isAdmitted: Bool { admitted.load(ordering: .relaxed) }

        func setBusy() { idleSince.store(0, ordering: .relaxed) }

        func setIdle() {
            idleSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .sequentiallyConsistent)
            if table.isOver.load(ordering: .sequentiallyConsistent) { table.relieve() }
        }

        /// Gives up its place.
        func leave() { table.remove(self) }

        /// Keeps its place: a request has arrived before the eviction. Another connection leaves, now or once it is idle.
        func stay() {
            table.insert(self)
            table.relieve()
        }
    }

    /// Connections beyond the limit that are open for a moment, until others have closed.
    let spare: Int
    let maximum: Int
    private let logger: Logger
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])
    /// Whether there are more connections than the limit, because one had a request when it was to leave.
    private let isOver = Atomic(false)
    private let lastNotice = Atomic<UInt64>(0)
    private static let noticeInterval = TimeAmount.minutes(1)

    /// - Parameter maximum: the most connections whose requests are judged.
    init(_ maximum: Int, _ logger: Logger) {
        self.maximum = maximum
        self.logger = logger
        spare = max(1, min(64, maximum / 8))
    }

    /// Adds a connection, and evicts idle ones to make room for it and for some after it.
    func add(_ channel: any Channel) -> Connection {
        let connection = Connection(channel, self)
        let evicted = connections.withLock { connections -> [Connection] in
            var evicted: [Connection] = []
            if connections.count >= maximum {
                evicted = Self.takeIdle(max(1, maximum / 64), from: &connections)
                connection.admitted.store(!evicted.isEmpty, ordering: .relaxed)
            }
            if connection.isAdmitted { connections[ObjectIdentifier(connection)] = connection }
            return evicted
        }
        evict(evicted)
        if !connection.isAdmitted {
            notice("none is idle, so that it refuses further ones; raise limits.connections")
        } else if !evicted.isEmpty {
            notice("closes those that are idle for longest; raise limits.connections, or lower limits.idleTime")
        }
        return connection
    }

    /// Evicts as many idle connections as there are too many. While there are, the listener may accept none, so that nothing else would
    /// make room.
    private func relieve() {
        evict(
            connections.withLock { connections in
                // Before the looks at idle connections: each that becomes idle later looks at it.
                isOver.store(connections.count > maximum, ordering: .sequentiallyConsistent)
                let evicted = Self.takeIdle(connections.count - maximum, from: &connections)
                isOver.store(connections.count > maximum, ordering: .sequentiallyConsistent)
                return evicted
            })
    }

    /// Removes the connections that have been idle for longest.
    private static func takeIdle(
        _ count: Int, from connections: inout [ObjectIdentifier: Connection]
    ) -> [Connection] {
        guard count > 0 else { return [] }
        let idle = connections.values.map { (since: $0.idleSince.load(ordering: .sequentiallyConsistent), $0) }
            .filter { $0.since != 0 }.sorted { $0.since < $1.since }.prefix(count).map(\.1)
        for connection in idle { connections.removeValue(forKey: ObjectIdentifier(connection)) }
        return idle
    }

    private func evict(_ connections: [Connection]) {
        for connection in connections {
            // Later, as the caller may be a handler of the same channel.
            connection.channel.eventLoop.execute {
                connection.channel.pipeline.fireUserInboundEventTriggered(Eviction())
            }
        }
    }

    private func insert(_ connection: Connection) {
        connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    }

    private func remove(_ connection: Connection) {
        _ = connections.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Logs at most once a minute that the limit is reached.
    private func notice(_ consequence: String) {
        let now = NIODeadline.now().uptimeNanoseconds
        let last = lastNotice.load(ordering: .relaxed)
        guard last == 0 || now - last > UInt64(Self.noticeInterval.nanoseconds),
            lastNotice.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
        else { return }
        logger.warning(
            "connections at their limit",
            metadata: ["assay.problem": "the listener has \(maximum) connections, and \(consequence)"])
    }
}
