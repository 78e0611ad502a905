public import AssayCore
import CoreMetrics
import Foundation
import Logging
import Synchronization

/// The emergency switch for the enforcement of each app, while the server runs.
///
/// It starts with the policy's `enforcement`. Reading takes no lock. Every change is logged as a warning. A change by hand is also
/// counted in `assay_policy_changes_total`, and noted in the audit trail of the ledger that the verifier has then. The notes are
/// written after the call, in the order of the changes; one that cannot be written is an error of the log.
public final class EnforcementSwitch: Sendable {
    /// The position for one kind of evidence of an app. Written under the lock of the switch.
    final class Position: Sendable {
        let app: String
        let kind: EvidenceKind
        private let index: Atomic<Int>

        init(_ evidence: RequiredEvidence) {
            app = evidence.app
            kind = evidence.kind
            index = Atomic(Self.index(of: evidence.enforcement))
        }

        var enforcement: Enforcement {
            switch index.load(ordering: .acquiring) {
            case 0: .off
            case 1: .annotate
            default: .reject
            }
        }

        func turn(to enforcement: Enforcement) {
            index.store(Self.index(of: enforcement), ordering: .releasing)
        }

        func isOf(app: String, kind: EvidenceKind?) -> Bool {
            self.app.isByteEqual(to: app) && kind.map { self.kind == $0 } ?? true
        }

        private static func index(of enforcement: Enforcement) -> Int {
            switch enforcement {
            case .off: 0
            case .annotate: 1
            case .reject: 2
            }
        }
    }

    /// A change by hand, and the ledger for it.
    private struct Note {
        let change: LedgerChange
        let ledger: any Ledger
    }

    private struct State {
        var positions: [Position] = []
        /// That of the verifier in force.
        var ledger: any Ledger
    }

    private let state: Mutex<State>
    private let logger: Logger
    /// Takes notes under the lock, in the order of the changes.
    private let notes: AsyncStream<Note>.Continuation

    init(logger: Logger, ledger: any Ledger) {
        state = Mutex(State(ledger: ledger))
        self.logger = logger
        let (stream, notes) = AsyncStream.makeStream(of: Note.self)
        self.notes = notes
        Task {
            for await note in stream {
                await PolicyReport.record(note.change, in: note.ledger, logger, MetricsSystem.factory)
            }
        }
    }

    // What was noted is still written.
    deinit { notes.finish() }

    /// The enforcement of an app; nil for an unknown app. With several kinds of evidence: the strictest.
    ///
    /// - Parameter kind: the kind of evidence; nil for all of the app.
    public func enforcement(of app: String, kind: EvidenceKind? = nil) -> Enforcement? {
        let found = state.withLock { state in
            state.positions.filter { $0.isOf(app: app, kind: kind) }.map(\.enforcement)
        }
        return [.reject, .annotate, .off].first { found.contains($0) }
    }

    /// Sets the enforcement of one app for all later requests, until it is set again or a new policy changes it.
    ///
    /// - Parameters:
    ///   - enforcement: the enforcement.
    ///   - app: the name of the policy's app.
    ///   - kind: the kind of evidence; nil for all of the app.
    ///   - cause: the reason in the log.
    /// - Throws: `RequestError` when the policy has no such app.
    public func turn(
        to enforcement: Enforcement, for app: String, kind: EvidenceKind? = nil, because cause: String
    ) throws(RequestError) {
        guard turn({ $0.isOf(app: app, kind: kind) }, to: enforcement, because: cause) else {
            throw RequestError(
                .unknownApp, "there is no app \(app.excerpt) with \(kind?.name.excerpt ?? "evidence") to switch")
        }
    }

    /// Sets the enforcement of all apps.
    public func turnAll(to enforcement: Enforcement, because cause: String) {
        _ = turn({ _ in true }, to: enforcement, because: cause)
    }

    /// Sets positions by hand. Counts and notes each that has changed.
    ///
    /// - Returns: whether there are such positions.
    private func turn(
        _ isMeant: (Position) -> Bool, to enforcement: Enforcement, because cause: String
    ) -> Bool {
        state.withLock { state in
            let found = state.positions.filter(isMeant)
            for position in found {
                guard let turn = turn(position, to: enforcement, because: cause) else { continue }
                PolicyReport.count(.rule, turn.effect, MetricsSystem.factory)
                notes.yield(Note(change: turn.change, ledger: state.ledger))
            }
            return !found.isEmpty
        }
    }

    /// Adopts the enforcement of a policy for new evidence, and where it differs from the former policy. A position set by hand
    /// survives other changes of the policy.
    ///
    /// - Parameter ledger: the ledger of the verifier with this policy.
    /// - Returns: the positions of the evidence, in its order.
    func follow(
        _ evidence: [RequiredEvidence], after former: [RequiredEvidence], ledger: any Ledger
    ) -> [Position] {
        let before = Dictionary(former.map { ($0.name, $0.enforcement) }, uniquingKeysWith: { first, _ in first })
        return state.withLock { state in
            state.ledger = ledger
            var known = Dictionary(
                state.positions.map { (EvidenceName(app: $0.app, kind: $0.kind), $0) },
                uniquingKeysWith: { first, _ in first })
            return evidence.map { evidence in
                guard let position = known[evidence.name] else {
                    let position = Position(evidence)
                    state.positions.append(position)
                    known[evidence.name] = position
                    return position
                }
                let before = before[evidence.name]
                if before != evidence.enforcement {
                    _ = turn(position, to: evidence.enforcement, because: "the policy")
                }
                return position
            }
        }
    }

    /// Sets and logs, under the lock for the right order in the log.
    private func turn(
        _ position: Position, to enforcement: Enforcement, because cause: String
    ) -> (change: LedgerChange, effect: PolicyDifference.Change.Effect)? {
        let before = position.enforcement
        guard before != enforcement else { return nil }
        position.turn(to: enforcement)
        logger.warning(
            "enforcement switched",
            metadata: [
                "assay.app": "\(position.app.excerpt)", "assay.kind": "\(position.kind)",
                "assay.from": "\(before.rawValue)", "assay.to": "\(enforcement.rawValue)",
                "assay.cause": "\(cause.excerpt)",
            ])
        let order: [Enforcement] = [.off, .annotate, .reject]
        let isWeaker = order.firstIndex(of: enforcement) ?? 0 < order.firstIndex(of: before) ?? 0
        return (
            change: LedgerChange(
                at: Date(), operatorName: nil, action: .switchEnforcement, subject: "app \(position.app)",
                detail: "\(position.kind): \(before.rawValue) -> \(enforcement.rawValue); \(cause.excerpt)"),
            effect: isWeaker ? .weaker : .stricter
        )
    }
}
