import AssayCore
import AssayLedgerSQLite

/// The entries of a ledger after contention; LedgerStress creates them.
struct SoakEntries {
    static let key = KeyIdentifier(engine: "app-attest", value: [UInt8](repeating: 0, count: 32))

    /// The stored rounds of each kind of entry. For the counter: all rounds up to its value.
    private(set) var stored: [SoakJournal.Thing: Set<UInt32>] = [:]
    /// The number of challenges consumed without their digest, and of digests stored without their challenge.
    let halves: Int

    init(_ ledger: SQLiteLedger) async throws {
        var stored: [SoakJournal.Thing: Set<UInt32>] = [:]
        var consumed: Set<UInt32> = [], companions: Set<UInt32> = []
        try await ledger.export { entry in
            switch entry {
            case .challenge(let challenge, let consumedAt):
                let round = Self.seed(challenge.value)
                stored[.issued, default: []].insert(round)
                if consumedAt != nil { consumed.insert(round) }
            case .key(let key) where key.identifier == Self.key:
                stored[.counter] = key.counter == 0 ? [] : Set(1...key.counter)
            case .key(let key): stored[.key, default: []].insert(Self.seed(key.identifier.value) - 1_000_000)
            case .digest(let use):
                let seed = Self.seed(use.digest)
                if seed < 2_000_000_000 {
                    stored[.digest, default: []].insert(seed)
                } else {
                    companions.insert(seed - 2_000_000_000)
                }
            case .block, .allowance, .operator, .document, .task: break
            }
        }
        stored[.consumed] = consumed
        self.stored = stored
        halves = consumed.symmetricDifference(companions).count
    }

    /// The number in the name of an entry: four bytes, little-endian.
    private static func seed(_ bytes: [UInt8]) -> UInt32 {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
