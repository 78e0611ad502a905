import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Synchronization
import Testing

/// Names that operators keep in a ledger.
private struct Names: LedgerRegisterContent {
    static let documentName = "names"
    static let title = "the register of names"
    var names: [String] = []

    init() {}

    init(reading object: RecordObject) throws(RecordError) {
        let fields = RecordFields(object, path: "")
        try fields.requireOnly(["names"])
        names = try fields.texts("names")
    }

    var object: RecordObject {
        RecordObject([("names", .array(names.map { RecordValue(.text($0), offset: 0) }))])
    }
}

private struct Refused: Error {}

@Suite("Registers of the ledger")
struct LedgerRegisterTests {
    private static let time = Date(timeIntervalSince1970: 1_776_795_192)

    private static func entry(_ name: String) -> LedgerChange {
        LedgerChange(at: time, operatorName: "ops", action: .changePolicy, subject: name, detail: "added")
    }

    private static func add(_ name: String, to register: LedgerRegister<Names>) async throws {
        let result = try await register.change(at: time) { (content) throws(Refused) in
            content.names.append(name)
            return (content.names.count, [entry(name)])
        }
        _ = try result.get()
    }

    /// Two operators at once lose nothing: every change is in the register, and once in the audit trail.
    @Test("Changes at once are all made, each with its entry of the audit trail")
    func concurrentChanges() async throws {
        let ledger = MemoryLedger()
        let register = LedgerRegister<Names>(in: ledger)
        let names = (0..<16).map { "name \($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names { group.addTask { try await Self.add(name, to: register) } }
            try await group.waitForAll()
        }
        let stored = try await register.content().names
        #expect(stored.sorted() == names.sorted())
        var entries: [String] = []
        try await ledger.audit { entries.append($0.change.subject) }
        #expect(entries == stored, "the audit trail has another order than the changes")
    }

    @Test("A refused change, and one that changes nothing, store nothing")
    func noChange() async throws {
        let ledger = MemoryLedger()
        let register = LedgerRegister<Names>(in: ledger)
        let refused = try await register.change(at: Self.time) {
            (content) throws(Refused) -> (value: Int, entries: [LedgerChange]) in
            content.names = ["lost"]
            throw Refused()
        }
        #expect(throws: Refused.self) { try refused.get() }
        let same = try await register.change(at: Self.time) { (_) throws(Refused) in (7, [Self.entry("none")]) }
        #expect(try same.get() == 7)
        #expect(try await ledger.document(named: "names") == nil)
        #expect(try await ledger.auditEntries(of: nil, before: nil, atMost: 1).isEmpty)
    }

    @Test("A document that is no register is an outage", arguments: ["", "[]", "{\"names\":7}", "{\"other\":[]}"])
    func corrupt(text: String) async throws {
        let ledger = MemoryLedger()
        #expect(try await ledger.store(Array(text.utf8), named: "names", replacing: 0, at: Self.time))
        let outage = await #expect(throws: LedgerOutage.self) { try await LedgerRegister<Names>(in: ledger).content() }
        #expect(outage?.code == .corrupt)
    }

    /// A change is in force within two seconds in another process, and the ledger is read no more often.
    @Test("A watch reads the register when its state is two seconds old")
    func watching() async throws {
        let ledger = FaultyLedger(MemoryLedger())
        let register = LedgerRegister<Names>(in: ledger)
        let start = ContinuousClock.now
        let clock = Mutex(start)
        let watch = LedgerRegisterWatch<Names>(ledger) { clock.withLock { $0 } }
        #expect(try await watch.content().names == [])
        try await Self.add("first", to: register)
        clock.withLock { $0 = start + .milliseconds(1999) }
        #expect(try await watch.content().names == [])
        clock.withLock { $0 = start + .seconds(2) }
        #expect(try await watch.content().names == ["first"])
    }

    /// An outage must not admit or reject everything.
    @Test("In an outage, the last state stays in force and the failed reads are counted; without one, it is an outage")
    func outage() async throws {
        let ledger = FaultyLedger(MemoryLedger()) { operation, number in
            operation == .document && number == 1 ? .outage() : nil
        }
        let start = ContinuousClock.now
        let clock = Mutex(start)
        let watch = LedgerRegisterWatch<Names>(ledger) { clock.withLock { $0 } }
        await #expect(throws: LedgerOutage.planned) { try await watch.content() }
        clock.withLock { $0 = start + .seconds(2) }
        try await Self.add("first", to: LedgerRegister(in: ledger))
        #expect(try await watch.content().names == ["first"])
        ledger.follow { operation, _ in operation == .document ? .outage() : nil }
        for seconds in [4, 6] {
            clock.withLock { $0 = start + .seconds(seconds) }
            #expect(try await watch.content().names == ["first"])
        }
        #expect(watch.state.outage == .planned && watch.state.failures == 3)
        ledger.recover()
        clock.withLock { $0 = start + .seconds(8) }
        #expect(try await watch.content().names == ["first"])
        #expect(watch.state.outage == nil && watch.state.failures == 3)
    }
}
