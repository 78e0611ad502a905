import Assay
public import AssayCore
import Logging
import Synchronization

/// The emergency switch for the enforcement of each app, while the server runs.
///
/// It starts with the policy's `enforcement`. Reading takes no lock. Every change is logged as a warning.
public final class EnforcementSwitch: Sendable {
    /// The position for one kind of evidence of an app. Written under the lock of the switch.
    final class Position: Sendable {
        let app: String
        let kind: EvidenceKind
        private let index: Atomic<Int>

        init(_ evidence: GuardedEvidence) {
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

    private let positions = Mutex<[Position]>([])
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// The enforcement of an app; nil for an unknown app. With several kinds of evidence: the strictest.
    ///
    /// - Parameter kind: the kind of evidence; nil for all of the app.
    public func enforcement(of app: String, kind: EvidenceKind? = nil) -> Enforcement? {
        let found = positions.withLock { positions in
            positions.filter { $0.isOf(app: app, kind: kind) }.map(\.enforcement)
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
        let isKnown = positions.withLock { positions in
            let found = positions.filter { $0.isOf(app: app, kind: kind) }
            for position in found { turn(position, to: enforcement, because: cause) }
            return !found.isEmpty
        }
        guard isKnown else {
            throw RequestError(
                .unknownApp, "there is no app \(app.excerpt) with \(kind?.name.excerpt ?? "evidence") to switch")
        }
    }

    /// Sets the enforcement of all apps.
    public func turnAll(to enforcement: Enforcement, because cause: String) {
        positions.withLock { positions in
            for position in positions { turn(position, to: enforcement, because: cause) }
        }
    }

    /// Adopts the enforcement of a policy for new evidence, and where it differs from the former policy. A position set by hand
    /// survives other changes of the policy.
    ///
    /// - Returns: the positions of the evidence, in its order.
    func follow(_ evidence: [GuardedEvidence], after former: [GuardedEvidence]) -> [Position] {
        positions.withLock { positions in
            evidence.map { evidence in
                guard let position = positions.first(where: { $0.isOf(app: evidence.app, kind: evidence.kind) }) else {
                    let position = Position(evidence)
                    positions.append(position)
                    return position
                }
                let before = former.first { $0.isOf(app: evidence.app, kind: evidence.kind) }?.enforcement
                if before != evidence.enforcement { turn(position, to: evidence.enforcement, because: "the policy") }
                return position
            }
        }
    }

    /// Sets and logs, under the lock for the right order in the log.
    private func turn(
        _ position: Position, to enforcement: Enforcement, because cause: String
    ) {
        let before = position.enforcement
        guard before != enforcement else { return }
        position.turn(to: enforcement)
        logger.warning(
            "enforcement switched",
            metadata: [
                "assay.app": "\(position.app.excerpt)", "assay.kind": "\(position.kind)",
                "assay.from": "\(before.rawValue)", "assay.to": "\(enforcement.rawValue)",
                "assay.cause": "\(cause.excerpt)",
            ])
    }
}
