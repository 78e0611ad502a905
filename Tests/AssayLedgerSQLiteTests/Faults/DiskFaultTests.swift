import Assay
import AssayCore
import AssayLedgerSQLite
import CFaultyVFS
import CoreMetrics
import Foundation
import MetricsTestKit
import Testing

/// Every disk operation of a small workload on a ledger fails once, in every way that disks fail.
@Suite("Faults of the disk", .serialized, .timeLimit(.minutes(20)))
struct DiskFaultTests {
    /// With `ASSAY_EVERY_FAULT` every operation fails; without it, a sample of each kind, spread over all.
    private static let isExhaustive = ProcessInfo.processInfo.environment["ASSAY_EVERY_FAULT"] != nil
    private static let sample = 24

    /// The allowed outage codes of a fault. No fault causes damage.
    private static let codes: Set<OutageCode> = [.inputOutput, .full, .locked, .unreachable, .readOnly]

    @Test(
        "A fault is an outage; acknowledged entries exist, no commit is partial, and nothing used is fresh again",
        arguments: DiskFault.all)
    func fault(_ fault: DiskFault) async throws {
        try #require(DiskFault.isInstalled)
        let operations = try await attempt(fault, at: 0).operations
        try #require(operations > 0, "the ledger's files are not those that the plan is for")
        let step = Self.isExhaustive ? 1 : max(1, operations / Self.sample)
        // The first sampled operation differs for each kind of fault, for more coverage.
        var (number, hits) = (1 + fault.name.utf8.reduce(0) { $0 + Int($1) } % step, 0)
        while try await attempt(fault, at: number).hasFired {
            hits += 1
            number += step
        }
        #expect(hits * step * 2 >= operations, "of \(operations) operations, every \(step)., only \(hits) could be hit")
        print("faults: \(fault.name): \(hits) of \(operations) operations")
    }

    @Test("Without a fault everything is acknowledged, and a power cut right after loses nothing")
    func none() async throws {
        try #require(DiskFault.isInstalled)
        for remains in DiskFault.Remains.allCases {
            let fault = DiskFault(name: "none", operations: [FAULTY_WRITE], effect: FAULTY_ERROR, powerCut: remains)
            let work = try await attempt(fault, at: 0).work
            for step in LedgerWork.Step.allCases {
                #expect(work.outcomes[step] == (step == .replay ? .refused : .acknowledged), "\(step)")
            }
        }
    }

    @Test("A sync that fails loses nothing that a checkpoint beside a reader has copied before")
    func besideReader() async throws {
        try #require(DiskFault.isInstalled)
        let fault = DiskFault(name: "a sync", operations: [FAULTY_SYNC], effect: FAULTY_SYNC_LOSS, powerCut: .nothing)
        var (number, hasFired, checkpoints, counted) = (0, true, 0, Int64(0))
        while hasFired {
            number += 1
            let folder = try TemporaryFolder()
            faulty_vfs_begin(folder.url.path, fault.plan(at: number))
            let metrics = TestMetrics()
            let (isBlocked, failures) = await withMetricsFactory(metrics) {
                await Self.blockBesideReader(path: folder.path())
            }
            counted += metrics.counters.first { $0.label == MetricName.ledgerFailedSyncs.rawValue }?.totalValue ?? 0
            hasFired = faulty_vfs_has_fired()
            checkpoints += failures
            try await filesAreClosed()
            _ = faulty_vfs_end()
            try #require(faulty_vfs_cut_power(UInt32(FAULTY_LOSE_UNSYNCED), 0) == 0)
            let ledger = try SQLiteLedger.open(path: folder.path())
            #expect(try await ledger.check(Verifier.problem(withKey:)) == [], "sync \(number)")
            let isStored = try await !ledger.standings(of: [LedgerWork.device], at: LedgerWork.now).isEmpty
            #expect(isStored || !isBlocked, "sync \(number): a block is lost")
            try await ledger.close()
        }
        #expect(checkpoints >= 2, "a sync of the log and one of the file")
        #expect(counted >= 1 && counted < checkpoints, "failed syncs of the file alone")
    }

    /// Blocks a device, copies the block into the file beside a reader, and lets the log begin anew.
    ///
    /// - Returns: whether the block was acknowledged, and how many checkpoints failed.
    private static func blockBesideReader(path: String) async -> (isBlocked: Bool, failures: Int) {
        guard let ledger = try? SQLiteLedger.open(path: path) else { return (false, 0) }
        var (isBlocked, failures) = (false, 0)
        func checkpoint() {
            do { try ledger.executeOnWriter("PRAGMA wal_checkpoint") } catch { failures += 1 }
        }
        checkpoint()
        do {
            try await ledger.block(
                LedgerBlock(subject: LedgerWork.device, reason: "fraud", since: LedgerWork.now, until: nil))
            isBlocked = true
        } catch {}
        var reader = try? ledger.snapshot()
        try? await ledger.issue(LedgerWork.challenge(1), at: LedgerWork.now)
        withExtendedLifetime(reader) { checkpoint() }
        reader = nil
        checkpoint()
        checkpoint()
        try? await ledger.issue(LedgerWork.challenge(2), at: LedgerWork.now)
        faulty_vfs_power_off()
        try? await ledger.close()
        return (isBlocked, failures)
    }

    private func attempt(
        _ fault: DiskFault, at number: Int
    ) async throws -> (operations: Int, hasFired: Bool, work: LedgerWork) {
        let folder = try TemporaryFolder()
        let place = "\(fault.name), operation \(number)"
        faulty_vfs_begin(folder.url.path, fault.plan(at: number))
        var work = LedgerWork()
        await work.run(path: folder.path()) { if fault.powerCut != nil { faulty_vfs_power_off() } }
        let hasFired = faulty_vfs_has_fired()
        try await filesAreClosed()
        let operations = Int(faulty_vfs_end())
        if let remains = fault.powerCut {
            try #require(faulty_vfs_cut_power(remains.code, UInt64(number)) == 0)
        }
        let problems = try await work.problems(path: folder.path())
        #expect(problems == [], "\(place): \(work.outcomes)")
        for case .outage(let code) in work.outcomes.values {
            #expect(Self.codes.contains(code), "\(place): \(code) \(work.messages)")
        }
        for message in work.messages { #expect(message.contains(folder.path()), "\(place): \(message)") }
        if number == 0 { #expect(!hasFired && !work.outcomes.values.contains(.outage(.inputOutput))) }
        return (operations, hasFired, work)
    }

    /// SQLite closes files after the last statement is finalized, which may take a moment.
    private func filesAreClosed() async throws {
        for _ in 0..<30_000 {
            if faulty_vfs_open_files() == 0 { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("\(faulty_vfs_open_files()) files are still open")
    }
}
