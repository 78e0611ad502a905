import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Synchronization

/// The entries that the tests commit. The keys are those of LedgerStress.
enum Fixture {
    static let now = Date(timeIntervalSince1970: 1_776_795_192)
    static let check = CheckID("app-attest.assertion.counter")

    static func identifier(_ seed: UInt32) -> KeyIdentifier {
        KeyIdentifier(engine: "app-attest", value: bytes(seed, count: 32))
    }

    static func key(_ seed: UInt32) -> EnrolledKey {
        EnrolledKey(
            identifier: identifier(seed), app: "shop-ios", publicKey: [4] + bytes(seed, count: 64), counter: 0,
            enrolledAt: now, properties: [:])
    }

    static func enrol(_ seed: UInt32) -> LedgerEffect { LedgerEffect(check, .enrol(key(seed))) }

    static func advance(_ seed: UInt32, _ counter: UInt32) -> LedgerEffect {
        LedgerEffect(
            check,
            .advanceCounter(
                CounterAdvance(key: identifier(seed), app: "shop-ios", counter: counter, rule: .increasing)))
    }

    /// The use of a digest whose window begins at its creation.
    static func remember(
        _ seed: UInt32, app: String = "shop-ios", madeAt: Date, lasting seconds: Double, at now: Date
    ) -> LedgerEffect {
        LedgerEffect(
            check,
            .rememberDigest(
                UsedDigest(
                    digest: identifier(seed).value, app: app, kind: EvidenceKind("approov.message"), madeAt: madeAt,
                    usedAt: now, until: madeAt + seconds)))
    }

    private static func bytes(_ seed: UInt32, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: seed >> UInt32(8 * ($0 % 4))) }
    }
}

/// A temporary folder, removed on deinit.
final class TemporaryFolder: Sendable {
    private let folder: TestFolder

    /// A disk that confirms at once, because it is memory.
    static let fastDisk = URL(fileURLWithPath: "/dev/shm")
    static var hasFastDisk: Bool { FileManager.default.isWritableFile(atPath: fastDisk.path) }

    init(onFastDisk: Bool = false) throws { folder = onFastDisk ? try TestFolder(in: Self.fastDisk) : try TestFolder() }

    var url: URL { folder.url }

    func path(_ name: String = "ledger.sqlite") -> String { folder.path(name) }
}

/// The code of the outage that an operation throws; nil if it succeeds.
func outage(_ body: () async throws -> Void) async throws -> OutageCode? {
    do {
        try await body()
        return nil
    } catch let outage as LedgerOutage {
        return outage.code
    }
}

extension SQLiteLedger {
    /// Opens a ledger and enrols keys 0 to `keys - 1`.
    static func prepared(_ path: String, keys: UInt32, busyTimeout: Duration = .seconds(5)) async throws -> SQLiteLedger
    {
        let ledger = try SQLiteLedger.open(path: path, busyTimeout: busyTimeout)
        for seed in 0..<keys { _ = try await ledger.commit([Fixture.enrol(seed)], at: Fixture.now) }
        return ledger
    }

    func isAdvanced(_ seed: UInt32, _ counter: UInt32) async throws -> Bool {
        try await commit([Fixture.advance(seed, counter)], at: Fixture.now).isApplied
    }

    func counter(_ seed: UInt32) async throws -> UInt32? {
        try await enrolledKey(Fixture.identifier(seed))?.counter
    }
}

/// A clock that the test sets.
final class MachineClock: Sendable {
    private let time: Mutex<Date>

    init(_ time: Date) { self.time = Mutex(time) }

    var now: Date {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
