import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation

extension LedgerWork {
    /// Compares the ledger, after the fault is removed, with the acknowledged steps.
    ///
    /// - Returns: a sentence for each violation.
    func problems(path: String) async throws -> [String] {
        var problems = surprises
        func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
            if !holds { problems.append(sentence()) }
        }
        let ledger = try SQLiteLedger.open(path: path)
        problems += try await ledger.check(Verifier.problem(withKey:))

        var isConsumed: [[UInt8]: Bool] = [:]
        var key: EnrolledKey?
        try await ledger.export { entry in
            switch entry {
            case .challenge(let challenge, let consumedAt): isConsumed[challenge.value] = consumedAt != nil
            case .key(let found): key = found
            case .digest, .block, .allowance, .operator, .document, .task: break
            }
        }
        for (seed, step) in [(1, Step.issueFirst), (2, .issueSecond)] as [(UInt32, Step)] {
            let isThere = isConsumed[Self.challenge(seed).value] != nil
            require(isThere || !isAcknowledged(step), "challenge \(seed) was issued and is lost")
            require(!isThere || isPossible(step), "challenge \(seed) was never issued")
        }
        let (first, second) = (
            isConsumed[Self.challenge(1).value] ?? false, isConsumed[Self.challenge(2).value] ?? false
        )
        require(
            first == (key != nil),
            "half of a commit: a challenge consumed, \(first), and its key enrolled, \(key != nil)")
        require(first || !isAcknowledged(.enrol), "an enrolment is lost")
        require(!first || isPossible(.enrol), "nobody enrolled the key")
        let least = Self.counters.filter { isAcknowledged($0.step) }.map(\.counter).max() ?? 0
        let most = Self.counters.filter { isPossible($0.step) }.map(\.counter).max() ?? 0
        if let counter = key?.counter {
            require((least...max(least, most)).contains(counter), "counter \(counter), acknowledged \(least)")
            require(!second || counter >= 2, "half of a commit: counter \(counter)")
            require(second || counter < 2 || isPossible(.advanceLast), "half of a commit: counter \(counter) at once")
        }
        require(second || !isAcknowledged(.advanceBoth), "a consumed challenge is fresh again")
        require(outcomes[.replay] != .acknowledged, "a replay was accepted")

        let later = Self.now + 20_000
        let standings = try await ledger.standings(of: [Self.device, Self.account], at: later)
        let isBlocked = standings.contains { $0.block != nil }
        require(isBlocked || !isAcknowledged(.block) || isPossible(.endBlock), "a block is lost")
        require(!isBlocked || !isAcknowledged(.endBlock), "a block that was lifted is there")
        require(standings.contains { $0.allowance != nil } || !isAcknowledged(.allow), "an allowance is lost")
        let secrets = try await SealedKeyFixture.store(on: ledger).secrets()
        require(secrets.values.allSatisfy { $0 == Self.secret }, "a sealed key is another one")
        require(!secrets.isEmpty || !isAcknowledged(.seal) || isPossible(.unseal), "a sealed key is lost")
        require(secrets.isEmpty || !isAcknowledged(.unseal), "a sealed key that was removed is there")

        // Used entries stay used, and the ledger accepts more.
        for (seed, wasConsumed) in [(1, first), (2, second)] as [(UInt32, Bool)] where wasConsumed {
            let again = try await ledger.commit([Self.consume(seed)], at: later)
            require(!again.isApplied, "challenge \(seed) was consumed twice")
        }
        for (seed, step) in [(2, Step.remember), (3, .forget)] as [(UInt32, Step)] where isAcknowledged(step) {
            let again = try await ledger.commit([Self.remember(seed, until: Self.now + 100_000)], at: later)
            require(!again.isApplied, "digest \(seed) was used twice")
        }
        require(
            try await ledger.commit([Fixture.enrol(9), Fixture.advance(10, 1)], at: later).decisions == [
                nil, .keyUnknown,
            ],
            "a refusal is not what it was")
        require(try await ledger.commit([Fixture.enrol(9)], at: later).isApplied, "nothing can be enrolled any more")
        try await ledger.close()
        return problems
    }
}
