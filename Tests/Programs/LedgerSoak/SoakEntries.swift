import AssayCore
import AssayLedgerSQLite

/// What is in a ledger that processes have contended for; see LedgerStress for what they do.
struct SoakEntries {
    static let key = KeyIdentifier(engine: "app-attest", value: [UInt8](repeating: 0, count: 32))

    /// The rounds of each thing. Of the counter, every one that it went through.
    private(set) var stored: [SoakJournal.Thing: Set<UInt32>] = [:]
    /// How often a challenge was consumed without the digest that belongs to it, or the other way round.
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
            case .block, .allowance, .operator, .document: break
            }
        }
        stored[.consumed] = consumed
        self.stored = stored
        halves = consumed.symmetricDifference(companions).count
    }

    /// The number that an entry is named by, four bytes in little endian.
    private static func seed(_ bytes: [UInt8]) -> UInt32 {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
