import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Testing

/// A file system of limited size in memory, which ends with this object.
private final class SmallDisk {
    let folder: TestFolder

    init?(megabytes: Int) {
        guard getuid() == 0, let folder = try? TestFolder(in: URL(fileURLWithPath: "/tmp")) else { return nil }
        self.folder = folder
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.url.path]) else {
            return nil
        }
    }

    deinit { _ = Self.run("umount", ["-l", folder.url.path]) }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        (try? ProgramRun(program, arguments))?.status == 0
    }

    static let isAvailable = SmallDisk(megabytes: 1) != nil
}

@Suite("A full disk", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct FullDiskTests {
    @Test(
        "When the server's disk is full there is an outage, and nothing that was acknowledged is lost",
        .enabled(if: SmallDisk.isAvailable, "this needs root, and leave to mount a file system"))
    func fullDisk() async throws {
        let disk = try #require(SmallDisk(megabytes: 120))
        let cluster = try TestCluster(["max_wal_size=32MB", "min_wal_size=32MB"], port: 5445, disk: disk.folder.url)
        defer { cluster.stop() }
        let url = cluster.url("timeout=10")
        try await PostgreSQLLedger.create(url)
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit([Sample.enrol(0)], at: Sample.now)
        // Leaves little, and the rest is filled by the ledger.
        let filler = disk.folder.url.appendingPathComponent("filler")
        _ = FileManager.default.createFile(atPath: filler.path, contents: nil)
        let file = try FileHandle(forWritingTo: filler)
        let block = Data(count: 65_536)
        while (try? file.write(contentsOf: block)) != nil {}
        try file.close()
        let large = String(repeating: "x", count: 60_000)
        var acknowledged: Set<Int> = [], refused: Set<Int> = [], codes: Set<OutageCode> = []
        for number in 1...4000 {
            let key = EnrolledKey(
                identifier: Sample.identifier(number), app: Sample.app, publicKey: [4], counter: 0,
                enrolledAt: Sample.now, properties: ["text": large + "\(number)"])
            let code = await ledger.outage(of: [LedgerEffect(CheckID("test.enrolment"), .enrol(key))])
            guard let code else {
                acknowledged.insert(number)
                continue
            }
            codes.insert(code)
            if code != .undetermined { refused.insert(number) }
            if refused.count >= 3 { break }
        }
        #expect(!codes.isEmpty && codes.isSubset(of: [.full, .unreachable, .undetermined, .inputOutput]), "\(codes)")
        if codes.contains(.full) || codes.contains(.inputOutput) {
            await #expect(throws: LedgerOutage.self) { try await ledger.proveWritable(at: Sample.now) }
        }
        try FileManager.default.removeItem(at: filler)
        #expect(try await poll { (try? await ledger.counter(0)) != nil })
        #expect(try await poll { await ledger.outage(of: [Sample.advance(0, to: 1)]) == nil })
        #expect(try await poll { (try? await ledger.proveWritable(at: Sample.now)) != nil })
        for number in acknowledged { #expect(try await ledger.counter(number) == 0, "key \(number)") }
        for number in refused { #expect(try await ledger.counter(number) == nil, "key \(number)") }
        try await ledger.close()
        withExtendedLifetime(disk) {}
    }
}
