import Assay
import AssayCore
import AssayService
import AssayTestSupport
import AssayTesting
import AssayTokens
import Foundation
import Synchronization
import Testing

/// A year of several servers with clocks of their own, which crash at every step of a rotation, and of verifiers that cache the key
/// set for ten minutes: no token is refused.
struct RotationYearTests {
    /// A storage that fails before or after a change, as a crash of the server does, and counts the changes.
    private final class CrashingStorage: SealedKeyStorage {
        enum Crash: Equatable { case none, before, after }

        private let memory = MemoryKeyStorage()
        let crash = Mutex(Crash.none)
        let crashes = Mutex(0)
        var keyLocation: String { memory.keyLocation }

        func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey] { try await memory.sealedKeys() }

        func changeSealedKeys(
            by operatorName: String?, at now: Date, _ decide: @escaping SealedKeyDecision
        ) async throws(KeyStoreFailure) {
            let crash = crash.withLock { $0 }
            if crash != .before { try await memory.changeSealedKeys(by: operatorName, at: now, decide) }
            guard crash != .none else { return }
            crashes.withLock { $0 += 1 }
            throw .outage(KeyStoreOutage(.unreachable, "the server crashed"))
        }
    }

    /// A verifier elsewhere, which keeps the set that it fetched for ten minutes.
    private struct CachingVerifier {
        var set: Set<String> = []
        var fetchedAt = Date.distantPast

        mutating func accepts(_ keyID: String, at now: Date, fetching: () async throws -> Set<String>) async rethrows
            -> Bool
        {
            if now.timeIntervalSince(fetchedAt) >= TokenKeySchedule.maximumAge {
                set = try await fetching()
                fetchedAt = now
            }
            return set.contains(keyID)
        }
    }

    @Test("no token is refused in a year of rotations with crashes at every step")
    func year() async throws {
        let storage = CrashingStorage()
        // Seconds by which the clocks of the servers are off.
        let offsets: [Double] = [0, 10, -10]
        var random = SeededGenerator(seed: 20_261_125)
        var verifiers = [CachingVerifier](repeating: CachingVerifier(), count: 4)
        /// The keys of tokens that are alive, with the end of the token.
        var alive: [(keyID: String, end: Date)] = []
        var signers: [String] = []
        func schedule(_ server: Int, _ now: Date) async throws -> TokenKeySchedule {
            TokenKeySchedule(
                try await TokenWorld.keyStore(storage).keys(for: TokenKey.purpose), at: now + offsets[server])
        }
        var now = TokenWorld.now
        // A minute before, so that it signs by every clock.
        try await TokenKeyRotation(TokenWorld.keyStore(storage)).run(at: now - 60)
        let end = now + 366 * 86_400
        while now < end {
            // Near a rotation the steps are short, elsewhere long: half of the keys' last token, and their caches.
            let age = now.timeIntervalSince(TokenWorld.now).truncatingRemainder(dividingBy: TokenKeySchedule.period)
            let isNear = age > 89 * 86_400 - 3600 && age < 89 * 86_400 + 3600 || age > 90 * 86_400 - 3600 || age < 7200
            for server in 0..<3 {
                storage.crash.withLock {
                    $0 = [.none, .before, .after, .before][Int.random(in: 0..<4, using: &random)]
                }
                // A new process each time: a crash forgets what was cached.
                _ = try? await TokenKeyRotation(TokenWorld.keyStore(storage)).run(at: now + offsets[server])
                storage.crash.withLock { $0 = .none }
                let signer = try #require(try await schedule(server, now).signer, "no key signs at \(now)")
                if signers.last != signer.keyID, !signers.contains(signer.keyID) { signers.append(signer.keyID) }
                alive.append((signer.keyID, now + offsets[server] + TokenConfiguration.longestLife))
            }
            alive.removeAll { $0.end <= now }
            for index in verifiers.indices {
                for token in Set(alive.map(\.keyID)) {
                    let server = Int.random(in: 0..<3, using: &random)
                    let time = now
                    let isAccepted = try await verifiers[index].accepts(token, at: now) {
                        Set(try await schedule(server, time).published.map(\.keyID))
                    }
                    #expect(isAccepted, "verifier \(index) refuses \(token) at \(now)")
                }
            }
            now += isNear ? 240 : 6 * 3600
        }
        #expect(signers.count == 5)
        #expect(storage.crashes.withLock { $0 } > 5)
    }
}
