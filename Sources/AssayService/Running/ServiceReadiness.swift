import Assay
import AssayCore
import Foundation
import Logging
import Synchronization

/// Whether the ledger takes writes and the key stores answer, for `/readyz` and `assay_ready`.
///
/// Proofs run one at a time, each on a task of its own: a write that waits for a disk or a standby keeps no request waiting with it.
/// Requests share the proof under way. None gets the result of an earlier one: the file of the ledger may have been replaced since.
final class ServiceReadiness: Sendable {
    /// How long a request waits for a proof, and how long a proof may take.
    private static let limit = 3.0
    /// The time between proofs that no request asks for, in seconds.
    private static let interval = 5.0

    private struct State {
        /// When the proof under way began; nil for none.
        var begin: ContinuousClock.Instant?
        /// Whether the proof under way waits for a key store: its write to the ledger is durable.
        var isAtKeyStores = false
        /// Why the last proof failed; nil if it did not.
        var outage: (any Outage)?
        var waiting: [CheckedContinuation<(any Outage)?, Never>] = []
    }

    private let ledger: any LedgerAdministration
    private let keyStores: [any KeyStore]
    private let state = Mutex(State())

    init(ledger: any LedgerAdministration, keyStores: [any KeyStore]) {
        (self.ledger, self.keyStores) = (ledger, keyStores)
    }

    /// Whether the last proof succeeded and none is late.
    var isProved: Bool { state.withLock { $0.outage == nil && !Self.isLate($0) } }

    /// Proves that requests could be answered now. Answers within three seconds.
    ///
    /// - Returns: why they could not; nil if they could.
    func outage() async -> (any Outage)? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if Self.isLate(state) { return continuation.resume(returning: Self.lateness(state)) }
                if state.begin == nil {
                    (state.begin, state.isAtKeyStores) = (.now, false)
                    Task { await run() }
                }
                state.waiting.append(continuation)
            }
        }
    }

    /// Runs a proof, and answers those who wait for it, at the latest when it is late.
    private func run() async {
        let timer = Task {
            try await Task.sleep(for: .seconds(Self.limit))
            state.withLock { state in
                // Otherwise this proof has ended, and the one under way has a timer of its own.
                if Self.isLate(state) { Self.answer(Self.lateness(state), &state) }
            }
        }
        let outage = await prove()
        timer.cancel()
        state.withLock { state in
            (state.begin, state.outage) = (nil, outage)
            Self.answer(outage, &state)
        }
    }

    private static func answer(_ outage: (any Outage)?, _ state: inout State) {
        for continuation in state.waiting { continuation.resume(returning: outage) }
        state.waiting = []
    }

    /// Proves again and again, and logs when the result changes.
    func watch(_ logger: Logger) async {
        var isProved = true
        while !Task.isCancelled {
            let outage = await outage()
            if Task.isCancelled { return }
            if let outage, isProved {
                logger.error("the service is not ready", metadata: ["assay.problem": "\(outage.description)"])
            } else if outage == nil, !isProved {
                logger.notice("the service is ready again")
            }
            isProved = outage == nil
            try? await Task.sleep(for: .seconds(Self.interval))
        }
    }

    private func prove() async -> (any Outage)? {
        do throws(LedgerOutage) { try await ledger.proveWritable(at: Date()) } catch { return error }
        state.withLock { $0.isAtKeyStores = true }
        for store in keyStores {
            do throws(KeyStoreOutage) {
                for material in EngineRegistry.standard.keyMaterials { _ = try await store.keys(for: material.purpose) }
            } catch {
                return error
            }
        }
        return nil
    }

    private static func isLate(_ state: State) -> Bool {
        state.begin.map { ContinuousClock.now - $0 >= .seconds(limit) } ?? false
    }

    private static func lateness(_ state: State) -> any Outage {
        state.isAtKeyStores
            ? KeyStoreOutage(
                .timeout,
                "the keys were not read within \(Int(limit)) seconds; see whether the ledger that stores them answers")
            : LedgerOutage(
                .timeout,
                "no write has become durable within \(Int(limit)) seconds; see whether the disk, the database and its standby answer"
            )
    }
}
