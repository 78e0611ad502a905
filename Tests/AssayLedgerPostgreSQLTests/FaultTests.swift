import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Testing

@Suite("Connections that fail", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct FaultTests {
    /// The counters, of which each has one writer.
    private static let keys = 4

    @Test(
        "A connection is cut or stalled at every step: what is applied is stored, and nothing else",
        arguments: FaultyProxy.Fault.allCases)
    func everyStep(_ fault: FaultyProxy.Fault) async throws {
        let cluster = try TestCluster.shared()
        // Only a stalled answer is noticed by its deadline.
        let timeout = fault == .stallAnswer ? "timeout=5" : "timeout=60"
        let url = try await cluster.newLedger(timeout)
        let folder = try TestFolder(in: URL(fileURLWithPath: "/tmp"))
        let proxy = try FaultyProxy(folder: folder.url.path, port: 5432, server: cluster.socket)
        defer { proxy.close() }
        // What is stored is asked without a fault, also on a slow machine.
        let direct = try await PostgreSQLLedger.open(url.replacing(timeout, with: "timeout=300"))
        _ = try await direct.commit((0..<Self.keys).map(Sample.enrol), at: Sample.now)
        let behind = url.replacing(
            cluster.folder.url.path.replacing("/", with: "%2F"), with: folder.url.path.replacing("/", with: "%2F"))
        let ledger = try await PostgreSQLLedger.open(behind)
        // One writing connection registers and commits: five round trips at most; with two there are more.
        for trip in 1...12 {
            proxy.fail(trip, fault)
            // Enough work to get there.
            for number in 0..<6 {
                let key = number % Self.keys
                let stored = try await direct.counter(key) ?? 0
                let next = stored + 1
                let result: Result<CommitOutcome, LedgerOutage>
                do throws(LedgerOutage) {
                    result = .success(try await ledger.commit([Sample.advance(key, to: next)], at: Sample.now))
                } catch {
                    result = .failure(error)
                }
                let now = try await direct.counter(key)
                switch result {
                case .success(let outcome):
                    #expect(outcome.isApplied, "counter \(next) of a key with \(stored), at trip \(trip)")
                    #expect(now == next, "applied, but not stored, at trip \(trip)")
                case .failure(let outage) where outage.code == .undetermined:
                    #expect(now == stored || now == next)
                case .failure(let outage):
                    #expect(now == stored, "\(outage) although stored, at trip \(trip)")
                }
            }
        }
        // An answer of COMMIT is among the steps, and the writer's row settles it.
        #expect(ledger.counts.lostAnswers > ledger.counts.undetermined)
        try await ledger.close()
        try await direct.close()
    }

    @Test(
        "Writes that wait for a server that stalls end at their deadlines, unsent, and no more wait than the queue holds"
    )
    func stall() async throws {
        let cluster = try TestCluster.shared()
        // Connecting could last longer than an operation may.
        let url = try await cluster.newLedger("timeout=15&connect_timeout=300")
        let folder = try TestFolder(in: URL(fileURLWithPath: "/tmp"))
        let proxy = try FaultyProxy(folder: folder.url.path, port: 5432, server: cluster.socket)
        defer { proxy.close() }
        let ledger = try await PostgreSQLLedger.open(
            url.replacing(
                cluster.folder.url.path.replacing("/", with: "%2F"),
                with: folder.url.path.replacing("/", with: "%2F")))
        _ = try await ledger.commit([Sample.enrol(1), Sample.enrol(2), Sample.enrol(3)], at: Sample.now)
        try await Self.warm(ledger)
        proxy.set(isStalled: true)
        // Occupies both writing connections.
        var tasks: [Task<OutageCode?, Never>] = []
        for number in 1...2 {
            let before = ledger.counts.transactions
            tasks.append(Task { await ledger.outage(of: [Sample.advance(number, to: 9)]) })
            #expect(try await poll { ledger.counts.transactions > before })
        }
        let sent = ledger.counts.writes
        for _ in 0..<16_500 { tasks.append(Task { await ledger.outage(of: [Sample.advance(3, to: 9)]) }) }
        let reading = Task { (try? await ledger.counter(1)) == nil }
        var codes: [OutageCode?: Int] = [:]
        for task in tasks { codes[await task.value, default: 0] += 1 }
        #expect(await reading.value)
        #expect(Set(codes.keys).isSubset(of: [.unreachable, .locked]), "\(codes)")
        #expect(codes[.locked, default: 0] > 0, "\(codes)")
        #expect(ledger.counts.writes == sent)
        proxy.set(isStalled: false)
        // Service is back, and nothing was applied that was answered as an outage.
        #expect(try await poll { (try? await ledger.counter(3)) == 0 })
        #expect(try await poll { await ledger.outage(of: [Sample.advance(3, to: 1)]) == nil })
        #expect(try await ledger.counter(3) == 1)
        try await ledger.close()
    }

    @Test("While the server cannot be reached there is an outage, and service is back after it")
    func unreachable() async throws {
        let cluster = try TestCluster(port: 5441)
        defer { cluster.stop() }
        let url = cluster.url("timeout=60")
        try await PostgreSQLLedger.create(url)
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
        var acknowledged: UInt32 = 0
        for round in 0..<3 {
            for _ in 0..<20 {
                #expect(try await ledger.commit([Sample.advance(1, to: acknowledged + 1)], at: Sample.now).isApplied)
                acknowledged += 1
            }
            cluster.kill()
            #expect(await ledger.outage(of: [Sample.advance(1, to: acknowledged + 1)]) != nil, "round \(round)")
            try cluster.start()
            // The counter that was tried while the server was down may not be stored.
            #expect(try await poll { (try? await ledger.counter(1)) != nil })
            #expect(try await ledger.counter(1) == acknowledged)
        }
        try await ledger.close()
    }

    @Test("A cancelled wait for the standby is undetermined, and never an acceptance")
    func cancelledWait() async throws {
        let cluster = try TestCluster(port: 5442)
        defer { cluster.stop() }
        let url = cluster.url("timeout=20")
        try await PostgreSQLLedger.create(url)
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit([Sample.enrol(1), Sample.enrol(2)], at: Sample.now)
        let (code, _) = try await Self.outageWithoutStandby(cluster, ledger) {
            try await poll {
                try cluster.sql(
                    "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") != "0"
            }
        }
        #expect(code == .undetermined)
        try await ledger.close()
    }

    @Test("A wait for the standby that does not end is undetermined at its deadline")
    func endlessWait() async throws {
        let cluster = try TestCluster(port: 5443)
        defer { cluster.stop() }
        let url = cluster.url("timeout=4")
        try await PostgreSQLLedger.create(url)
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
        let (code, counter) = try await Self.outageWithoutStandby(cluster, ledger) { true }
        #expect(code == .undetermined)
        #expect(try await poll { await ledger.outage(of: [Sample.advance(1, to: counter + 1)]) == nil })
        #expect(try await ledger.counter(1) == counter + 1)
        try await ledger.close()
    }

    /// Has commits wait for a standby that does not exist, until one is an outage, and ends that. On a slow machine it may be the outage of
    /// an operation that was not sent: then it tries again.
    ///
    /// - Parameter interfere: what happens meanwhile.
    /// - Returns: the code of the outage, and the counter whose commit it was.
    private static func outageWithoutStandby(
        _ cluster: TestCluster, _ ledger: PostgreSQLLedger, _ interfere: @escaping @Sendable () async throws -> Bool
    ) async throws -> (code: OutageCode?, counter: UInt32) {
        var found: (code: OutageCode?, counter: UInt32) = (nil, 0)
        for _ in 0..<5 where found.code != .undetermined {
            try await warm(ledger)
            try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'none_such'")
            try cluster.sql("SELECT pg_reload_conf()")
            #expect(try await poll { try cluster.sql("SHOW synchronous_standby_names") == "none_such" })
            let first = found.counter + 1
            let waiting = Task { await firstOutage(ledger, from: first) }
            #expect(try await interfere())
            found = await waiting.value
            try cluster.sql("ALTER SYSTEM RESET synchronous_standby_names")
            try cluster.sql("SELECT pg_reload_conf()")
        }
        return found
    }

    /// Has both writing connections register, which is a commit of its own.
    private static func warm(_ ledger: PostgreSQLLedger) async throws {
        let areBoth = try await poll {
            await withTaskGroup(of: OutageCode?.self) { group in
                for _ in 0..<16 { group.addTask { await ledger.outage(of: [Sample.advance(1, to: 0)]) } }
                return await group.allSatisfy { $0 == nil }
            } && ledger.counts.registrations >= 2
        }
        #expect(areBoth)
    }

    /// Commits until there is an outage: the server's checkpointer has to notice the new setting first.
    private static func firstOutage(
        _ ledger: PostgreSQLLedger, from first: UInt32
    ) async -> (code: OutageCode?, counter: UInt32) {
        for counter in first...first + 100_000 {
            if let code = await ledger.outage(of: [Sample.advance(1, to: counter)]) { return (code, counter) }
        }
        return (nil, first + 100_000)
    }
}
