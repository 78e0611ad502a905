import AssayCore
import AssayLedgerPostgreSQL
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Migrations that are killed", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct KilledMoveTests {
    /// Two pages.
    private static let keys = 1003

    @Test("A migration that is killed at every round trip and repeated moves everything, there and back")
    func everyStep() async throws {
        let cluster = try TestCluster.shared()
        let direct = try await cluster.newLedger()
        let folder = try TestFolder(in: URL(fileURLWithPath: "/tmp"))
        let proxy = try FaultyProxy(folder: folder.url.path, port: 5432, server: cluster.socket)
        defer { proxy.close() }
        let url = direct.replacing(
            cluster.folder.url.path.replacing("/", with: "%2F"), with: folder.url.path.replacing("/", with: "%2F"))
        let (there, back) = (folder.path("there.sqlite"), folder.path("back.sqlite"))
        let source = try SQLiteLedger.open(path: there)
        _ = try await source.commit((0..<Self.keys).map(Sample.enrol), at: Sample.now)
        _ = try await source.commit([Sample.advance(7, to: 70)], at: Sample.now)
        try await source.block(
            LedgerBlock(subject: LedgerSubject(.device, "d1"), reason: "test", since: Sample.now, until: nil))
        _ = try await source.store([1, 2], named: "devices", replacing: 0, at: Sample.now)
        let entries = try await Self.entries(source)
        try await source.close()

        let kills = try await Self.move(from: there, to: url, proxy)
        #expect(kills > 20)
        #expect(throws: LedgerOutage.self) { try SQLiteLedger.open(path: there) }
        try await PostgreSQLLedger.with(direct) { moved in
            let copied = try await Self.entries(moved)
            #expect(copied == entries)
            #expect(try await moved.check { _ in nil } == [])
        }
        #expect(try await Self.move(from: url, to: back, proxy) > 20)
        await #expect(throws: LedgerOutage.self) { try await PostgreSQLLedger.with(direct) { _ in } }
        let moved = try SQLiteLedger.open(path: back)
        #expect(try await Self.entries(moved) == entries)
        #expect(try await moved.check { _ in nil } == [])
        try await moved.close()
    }

    /// Kills a migration at its first round trip to PostgreSQL, repeats it and kills it at the second one, and so on, until it ends.
    ///
    /// - Returns: how often it was killed.
    private static func move(from: String, to: String, _ proxy: FaultyProxy) async throws -> Int {
        let program = try BuiltProducts.url("PostgreSQLStress")
        for trip in 1...500 {
            proxy.fail(trip, .stallAnswer)
            let process = try LineProcess(program, ["move", from, to])
            #expect(try await poll(every: .milliseconds(2)) { proxy.hasFailed || !process.isRunning })
            guard proxy.hasFailed else {
                #expect(try process.end() == 0)
                return trip - 1
            }
            process.kill()
            // Servers use the target before it is marked as an unfinished copy, and when it is complete.
            if trip % 4 == 0, to.hasPrefix("postgresql:"),
                let keys = try? await PostgreSQLLedger.with(to, { try await $0.summary(at: Sample.now).keys })
            {
                #expect(keys == 0 || keys == Self.keys)
            }
        }
        return 0
    }

    private static func entries(_ ledger: any LedgerAdministration) async throws -> [String] {
        var entries: [String] = []
        try await ledger.export { entries.append("\($0)") }
        try await ledger.audit { entries.append("\($0)") }
        return entries.sorted()
    }
}
