import AssayCore
import AssayLedgerPostgreSQL
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Moving ledgers", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct MovingTests {
    /// Fills a ledger with entries of every sort.
    private static func fill(_ ledger: any LedgerAdministration & SealedKeyStorage) async throws {
        for number in UInt8(0)..<3 {
            try await ledger.issue(
                IssuedChallenge(
                    value: [number], app: Sample.app, purpose: ChallengePurpose(EvidenceKind("test")),
                    issuedAt: Sample.now, expiresAt: Sample.now + 300), at: Sample.now)
        }
        let consume = LedgerEffect(
            CheckID("test.challenge"),
            .consumeChallenge(value: [1], app: Sample.app, purpose: ChallengePurpose(EvidenceKind("test"))))
        // More than one page and one batch.
        _ = try await ledger.commit((0..<1203).map(Sample.enrol) + [consume], at: Sample.now)
        _ = try await ledger.commit([Sample.advance(7, to: 70)], at: Sample.now)
        let window = CounterAdvance(key: Sample.identifier(8), app: Sample.app, counter: 9, rule: .window(8))
        _ = try await ledger.commit([LedgerEffect(CheckID("test.counter"), .advanceCounter(window))], at: Sample.now)
        for (number, start) in [(0, -10_000.0), (1, 0)] {
            let use = UsedDigest(
                digest: [UInt8(number)], app: Sample.app, kind: EvidenceKind("test"), madeAt: Sample.now + start,
                usedAt: Sample.now + start, until: Sample.now + start + 300)
            _ = try await ledger.commit(
                [LedgerEffect(CheckID("test.digest"), .rememberDigest(use))], at: Sample.now + start)
        }
        _ = try await ledger.purge(at: Sample.now)
        try await ledger.block(
            LedgerBlock(subject: LedgerSubject(.device, "d\u{0}1"), reason: "test", since: Sample.now, until: nil))
        try await ledger.allow(
            LedgerAllowance(
                subject: LedgerSubject(.account, "alice"), checks: [CheckID("a.b"), CheckID("c.d")], reason: "test",
                since: Sample.now, until: Sample.now + 60, setBy: "bob"))
        _ = try await ledger.move(Sample.identifier(3), to: "alice", by: "bob", at: Sample.now)
        let new = LedgerOperator(
            name: "carol", role: .operator, addedAt: Sample.now, addedBy: nil, until: Sample.now + 60)
        _ = try await ledger.addOperator(new, tokenHash: [UInt8](repeating: 7, count: 32))
        _ = try await ledger.store([0, 255], named: "devices", replacing: 0, at: Sample.now)
        try await ledger.changeSealedKeys(by: "bob", at: Sample.now) { _, _ in
            .insert(
                SealedKey(
                    name: "k", purpose: KeyPurpose("test"), scope: nil, algorithm: "a",
                    times: SealedKey.Times(notBefore: nil, notAfter: .max, retiredAt: nil, addedAt: 1),
                    masterKeyID: [1], sealed: [2, 3]))
        }
    }

    private static func entries(_ ledger: any LedgerAdministration) async throws -> [String] {
        var entries: [String] = []
        try await ledger.export { entries.append("\($0)") }
        try await ledger.audit { entries.append("\($0)") }
        return entries.sorted()
    }

    @Test("A ledger moves from SQLite to PostgreSQL and back with everything, and the source refuses writers")
    func there() async throws {
        let folder = try TestFolder()
        let path = folder.path("ledger.sqlite")
        let open = try SQLiteLedger.open(path: path, purging: .byClock { .distantFuture })
        try await Self.fill(open)
        let before = try await Self.entries(open)
        // The sealed key of this test is none that opens.
        let problems = try await open.check { _ in nil }
        let url = try await TestCluster.shared().newLedger()
        let source = try SQLiteLedger.openToMove(path: path)
        let target = try await PostgreSQLLedger.openToMove(url)
        let copy = LedgerCopy(source: source, from: path, target: target, to: url)
        let inventory = try await copy.run()
        #expect(inventory.sections.count == 9, "\(inventory.sections.keys)")
        // A program that has the file open, and one that opens it now.
        #expect(await Self.outage(of: open) == .wrongLedger)
        #expect(throws: LedgerOutage.self) { try SQLiteLedger.open(path: path) }
        // The same command again changes nothing.
        #expect(try await copy.run() == inventory)
        try await PostgreSQLLedger.with(url) { moved in
            #expect(try await Self.entries(moved) == before)
            #expect(try await moved.check { _ in nil } == problems)
            // The purged digest is not used again, and the trail goes on.
            let use = UsedDigest(
                digest: [0], app: Sample.app, kind: EvidenceKind("test"), madeAt: Sample.now - 10_000,
                usedAt: Sample.now, until: Sample.now + 86_400)
            let effect = LedgerEffect(CheckID("test.digest"), .rememberDigest(use))
            #expect(await moved.outage(of: [effect]) == .forgotten)
            #expect(try await !moved.commit([Sample.advance(7, to: 70)], at: Sample.now).isApplied)
            _ = try await moved.removeStanding(of: LedgerSubject(.account, "alice"), by: nil, at: Sample.now)
            #expect(try await moved.check { _ in nil } == problems)
            let after = try await Self.entries(moved)
            // And back, to a new file, while a server has the ledger open.
            let path = folder.path("back.sqlite")
            let back = try SQLiteLedger.openToMove(path: path)
            _ = try await LedgerCopy(source: target, from: url, target: back, to: path).run()
            #expect(await Self.outage(of: moved) == .wrongLedger)
            await #expect(throws: LedgerOutage.self) {
                _ = try await moved.removeStanding(of: LedgerSubject(.device, "d\u{0}1"), by: nil, at: Sample.now)
            }
            try await back.close()
            let reopened = try SQLiteLedger.open(path: path)
            #expect(try await Self.entries(reopened) == after)
            #expect(try await reopened.check { _ in nil } == problems)
            try await reopened.close()
        }
        for ledger in [source, open] { try await ledger.close() }
        try await target.close()
    }

    @Test("A move that was interrupted goes on, and one to another place or over entries is refused")
    func interruption() async throws {
        let folder = try TestFolder()
        let source = try SQLiteLedger.openToMove(path: folder.path("ledger.sqlite"))
        try await Self.fill(source)
        let url = try await TestCluster.shared().newLedger()
        let target = try await PostgreSQLLedger.openToMove(url)
        // Half of it, as after an interruption.
        #expect(try await target.changeMark(from: nil, to: .unfinishedCopy(of: "a")))
        #expect(try await source.beginMove(to: url) == nil)
        var isFirst = true
        try await source.records { records in
            if isFirst { try await target.insert(records) }
            isFirst = false
        }
        let elsewhere = LedgerCopy(source: source, from: "a", target: target, to: "another")
        await #expect(throws: LedgerCopyRefusal.self) { try await elsewhere.run() }
        // Nothing uses the half copy, and it is no copy of another ledger.
        #expect(await Self.openingOutage(url) == .wrongLedger)
        let foreign = LedgerCopy(source: source, from: "b", target: target, to: url)
        await #expect(throws: LedgerCopyRefusal.self) { try await foreign.run() }
        let copy = LedgerCopy(source: source, from: "a", target: target, to: url)
        #expect(try await copy.run().count > 1200)
        #expect(await Self.openingOutage(url) == nil)
        // A finished move is not cancelled, and the target is no empty one for others.
        await #expect(throws: LedgerCopyRefusal.self) { try await copy.cancel() }
        #expect(await Self.outage(of: source) == .wrongLedger)
        let other = try SQLiteLedger.openToMove(path: folder.path("other.sqlite"))
        await #expect(throws: LedgerCopyRefusal.self) {
            try await LedgerCopy(source: other, from: "c", target: target, to: url).run()
        }
        #expect(try await other.mark() == nil)
        for ledger in [source, other] { try await ledger.close() }
        try await target.close()
    }

    @Test("A repeated migration leaves the target as servers have changed it since")
    func repetition() async throws {
        let folder = try TestFolder()
        let source = try SQLiteLedger.openToMove(path: folder.path("ledger.sqlite"))
        try await Self.fill(source)
        let url = try await TestCluster.shared().newLedger()
        let target = try await PostgreSQLLedger.openToMove(url)
        let copy = LedgerCopy(source: source, from: "a", target: target, to: url)
        let inventory = try await copy.run()
        try await PostgreSQLLedger.with(url) { moved in
            // The allowance becomes a block, and the block of the device is lifted.
            try await moved.block(
                LedgerBlock(
                    subject: LedgerSubject(.account, "alice"), reason: "stolen", since: Sample.now, until: nil))
            _ = try await moved.removeStanding(of: LedgerSubject(.device, "d\u{0}1"), by: nil, at: Sample.now)
            let after = try await Self.entries(moved)
            #expect(try await copy.run() == inventory)
            #expect(try await Self.entries(moved) == after)
            // Rows that are stored stay as they are also when a copy goes on.
            var records: [LedgerRecord] = []
            try await source.records { records += $0 }
            let device = LedgerSubject(.device, "d\u{0}1")
            try await target.insert(
                records.filter { if case .standing(let standing) = $0 { standing.subject != device } else { false } })
            #expect(try await Self.entries(moved) == after)
        }
        try await source.close()
        try await target.close()
    }

    @Test("A repeated migration over another ledger is refused, and over the copy or an empty target it is not")
    func anotherTarget() async throws {
        let folder = try TestFolder()
        let source = try SQLiteLedger.openToMove(path: folder.path("ledger.sqlite"))
        try await Self.fill(source)
        let url = try await TestCluster.shared().newLedger()
        let target = try await PostgreSQLLedger.openToMove(url)
        let inventory = try await LedgerCopy(source: source, from: "a", target: target, to: "b").run()
        // Another ledger takes the place of the copy: one with one key of the source, and one with none.
        for keys in [[1], []] as [[Int]] {
            let path = folder.path("other\(keys.count).sqlite")
            let other = try SQLiteLedger.openToMove(path: path)
            try await other.block(
                LedgerBlock(subject: LedgerSubject(.account, "x"), reason: "x", since: Sample.now, until: nil))
            _ = try await other.commit(keys.map(Sample.enrol), at: Sample.now)
            let refusal = await #expect(throws: LedgerCopyRefusal.self) {
                try await LedgerCopy(source: source, from: "a", target: other, to: "b").run()
            }
            #expect(refusal?.description.contains("b is another ledger") == true, "\(String(describing: refusal))")
            #expect(try await other.mark() == nil, "it stays usable")
            try await other.close()
        }
        // The copy lives on, and is the copy still; a new and empty one gets everything again.
        _ = try await target.commit([Sample.advance(1, to: 9), Sample.enrol(5000)], at: Sample.now)
        #expect(try await LedgerCopy(source: source, from: "a", target: target, to: "b").run() == inventory)
        let empty = try SQLiteLedger.openToMove(path: folder.path("empty.sqlite"))
        #expect(try await LedgerCopy(source: source, from: "a", target: empty, to: "b").run() == inventory)
        for ledger in [source, empty] { try await ledger.close() }
        try await target.close()
    }

    @Test("A quarantine moves with the ledger", arguments: [true, false])
    func quarantine(_ isFromSQLite: Bool) async throws {
        let folder = try TestFolder()
        let url = try await TestCluster.shared().newLedger()
        let file = try SQLiteLedger.openToMove(path: folder.path("ledger.sqlite"))
        let database = try await PostgreSQLLedger.openToMove(url)
        let source: any MovableLedger & LedgerAdministration = isFromSQLite ? file : database
        let target: any MovableLedger & LedgerAdministration = isFromSQLite ? database : file
        try await source.quarantine(until: Sample.now + 60, by: nil, at: Sample.now)
        _ = try await LedgerCopy(source: source, from: "a", target: target, to: "b").run()
        #expect(try await target.quarantineEnd() == Sample.now + 60)
        try await file.close()
        try await database.close()
    }

    @Test("Readers of a ledger that is moved learn it within a second, and go on when the move is cancelled")
    func readers() async throws {
        let url = try await TestCluster.shared().newLedger()
        try await PostgreSQLLedger.with(url) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            #expect(try await ledger.counter(1) == 0)
            let mover = try await PostgreSQLLedger.openToMove(url)
            #expect(try await mover.beginMove(to: "elsewhere") == nil)
            #expect(await Self.outage(of: ledger) == .wrongLedger, "a writer, at once")
            var code: OutageCode?
            #expect(
                try await poll {
                    do { _ = try await ledger.counter(1) } catch let outage as LedgerOutage { code = outage.code }
                    return code != nil
                })
            #expect(code == .wrongLedger)
            // A write of the last two seconds counts as a proof.
            #expect(
                try await poll {
                    do throws(LedgerOutage) { try await ledger.proveWritable(at: Sample.now + 3600) } catch {
                        return true
                    }
                    return false
                })
            try await mover.cancelMove()
            #expect(try await ledger.counter(1) == 0)
            #expect(await Self.outage(of: ledger) == nil)
            try await mover.close()
        }
    }

    @Test("When a move has ended, a program that has the source open reads nothing of it any more")
    func ended() async throws {
        let url = try await TestCluster.shared().newLedger()
        let folder = try TestFolder()
        try await PostgreSQLLedger.with(url) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            let source = try await PostgreSQLLedger.openToMove(url)
            let target = try SQLiteLedger.openToMove(path: folder.path("copy.sqlite"))
            // Looks at the ledger until the move stops it.
            let reader = Task { while (try? await ledger.counter(1)) != nil, !Task.isCancelled {} }
            _ = try await LedgerCopy(source: source, from: url, target: target, to: "copy").run()
            await #expect(throws: LedgerOutage.self) { try await ledger.counter(1) }
            reader.cancel()
            await reader.value
            try await source.close()
            try await target.close()
        }
    }

    @Test("Tables that were dropped and made anew under a running process are another ledger")
    func replacedTables() async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger()
        let schema = try #require(url.split(separator: "=").last)
        let ledger = try await PostgreSQLLedger.open(url)
        _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
        _ = try await ledger.counter(1)
        try cluster.sql("DROP SCHEMA \(schema) CASCADE")
        try await PostgreSQLLedger.create(url)
        for isCommit in [true, false] {
            var code: OutageCode?
            #expect(
                try await poll {
                    do {
                        if isCommit {
                            _ = try await ledger.commit([Sample.enrol(2)], at: Sample.now)
                        } else {
                            _ = try await ledger.counter(1)
                        }
                    } catch let outage as LedgerOutage { code = outage.code }
                    return code == .wrongLedger
                }, "\(String(describing: code))")
        }
        #expect(await ledger.outage(of: [Sample.enrol(3)]) == .wrongLedger)
        try await ledger.close()
        try await PostgreSQLLedger.with(url) { _ = try await $0.commit([Sample.enrol(3)], at: Sample.now) }
    }

    @Test(
        "A cancelled migration leaves a target that nothing uses, and a copy under way does not finish",
        arguments: [true, false])
    func cancellation(_ isFromSQLite: Bool) async throws {
        let folder = try TestFolder()
        let path = folder.path("ledger.sqlite")
        let url = try await TestCluster.shared().newLedger()
        let file = try SQLiteLedger.openToMove(path: path)
        let database = try await PostgreSQLLedger.openToMove(url)
        let source: any MovableLedger & LedgerAdministration & SealedKeyStorage = isFromSQLite ? file : database
        let target: any MovableLedger & LedgerAdministration = isFromSQLite ? database : file
        let copy = LedgerCopy(source: source, from: "a", target: target, to: "b")
        try await Self.fill(source)
        await #expect(throws: LedgerCopyRefusal.self) { try await copy.cancel() }
        #expect(try await source.mark() == nil)
        // A copy that was interrupted after its first records.
        #expect(try await target.changeMark(from: nil, to: .unfinishedCopy(of: "a")))
        #expect(try await source.beginMove(to: "b") == nil)
        var isFirst = true
        try await source.records { records in
            if isFirst { try await target.insert(records) }
            isFirst = false
        }
        #expect(await Self.openingOutage(isFromSQLite ? url : path) == .wrongLedger)
        try await copy.cancel()
        #expect(try await source.mark() == nil)
        #expect(await Self.outage(of: source) == nil)
        #expect(try await target.mark() == .cancelledCopy(of: "a"))
        #expect(await Self.openingOutage(isFromSQLite ? url : path) == .wrongLedger)
        // What a copy under way does last.
        #expect(try await !target.changeMark(from: .unfinishedCopy(of: "a"), to: nil))
        await #expect(throws: LedgerCopyRefusal.self) { try await copy.run() }
        #expect(await Self.outage(of: source) == nil)
        try await file.close()
        try await database.close()
    }

    @Test("A moved ledger keeps what would be purged: the copy is compared with it")
    func purge() async throws {
        let url = try await TestCluster.shared().newLedger()
        let ledger = try await PostgreSQLLedger.open(url, purging: .byClock { .distantFuture })
        try await Self.fill(ledger)
        let mover = try await PostgreSQLLedger.openToMove(url)
        #expect(try await mover.beginMove(to: "elsewhere") == nil)
        var before = LedgerInventory()
        try await mover.records { records in for record in records { before.add(record) } }
        #expect(try await ledger.purge(at: Sample.now + 86_400) == 0)
        var after = LedgerInventory()
        try await mover.records { records in for record in records { after.add(record) } }
        #expect(after == before)
        try await mover.cancelMove()
        #expect(try await ledger.purge(at: Sample.now + 86_400) > 0)
        try await ledger.close()
        try await mover.close()
    }

    /// Opens a ledger as servers do.
    private static func openingOutage(_ place: String) async -> OutageCode? {
        do {
            if place.hasPrefix("postgresql:") {
                try await PostgreSQLLedger.open(place).close()
            } else {
                try await SQLiteLedger.open(path: place).close()
            }
        } catch { return (error as? LedgerOutage)?.code ?? .internalError }
        return nil
    }

    private static func outage(of ledger: any Ledger) async -> OutageCode? {
        do throws(LedgerOutage) {
            _ = try await ledger.commit([Sample.advance(1, to: 1_000_000)], at: Sample.now)
        } catch { return error.code }
        return nil
    }
}
