import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Synchronization

/// A key store in its own folder, with a stopped clock.
struct SealedKeyFixture {
    static let masterText = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    static let otherText = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh4="
    static let now = Date(timeIntervalSince1970: 1_776_795_192.25)

    let folder: TemporaryFolder
    let ledger: SQLiteLedger
    let store: SealedKeyStore
    let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
        ledger = try SQLiteLedger.open(path: folder.path())
        store = try Self.store(on: ledger, clock: clock)
    }

    static func masterKey(_ text: String = masterText) throws -> MasterKey {
        try MasterKey(text: SecretBytes(Array(text.utf8)))
    }

    static func store(
        on ledger: SQLiteLedger, masterKey: String = masterText, clock: ManualClock = ManualClock(),
        materials: [any KeyMaterial.Type] = [TestSecret.self]
    ) throws -> SealedKeyStore {
        SealedKeyStore(
            storage: ledger, masterKey: try self.masterKey(masterKey), materials: materials, now: { clock.now })
    }

    @discardableResult
    func add(
        _ name: String, _ secret: String = "a secret", label: String? = nil, scope: String? = nil,
        window: KeyWindow = .always
    ) async throws -> SealedKey {
        try await store.add(
            name, for: TestSecret.purpose, parts: TestSecret.parts(secret, label: label), scope: scope, window: window,
            at: Self.now)
    }
}

/// A monotonic clock that the test advances.
final class ManualClock: Sendable {
    private let offset = Mutex(Duration.zero)
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant { offset.withLock { start + $0 } }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}

extension SealedKeyStore {
    /// The secrets of the keys by name.
    func secrets() async throws -> [String: String] {
        let keys = try await keys(for: TestSecret.purpose)
        return Dictionary(
            uniqueKeysWithValues: keys.map { ($0.name, ($0.material as? TestSecret)?.secret.testText ?? "no secret") })
    }

    /// The outage of reading the keys; nil if they can be read.
    func outage() async throws -> OutageCode? {
        do {
            _ = try await keys(for: TestSecret.purpose)
            return nil
        } catch {
            return error.code
        }
    }
}

/// The refusal of a change; nil if it is made.
func refusal(_ body: () async throws -> Void) async throws -> KeyStoreRefusal? {
    do {
        try await body()
        return nil
    } catch KeyStoreFailure.refusal(let refusal) {
        return refusal
    }
}
