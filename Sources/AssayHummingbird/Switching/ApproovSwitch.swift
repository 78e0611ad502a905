public import Approov
import Assay
public import AssayCore
import Logging
import Synchronization

/// The emergency switch for the enforcement of each app, while the server runs.
///
/// It starts with the policy's `enforcement`. Reading takes no lock. Every change is logged as a warning.
public final class ApproovSwitch: Sendable {
    /// The position of one app. Written under the lock of the switch.
    final class Position: Sendable {
        let app: String
        private let index: Atomic<Int>

        init(app: String, _ enforcement: ApproovEnforcement) {
            self.app = app
            index = Atomic(Self.index(of: enforcement))
        }

        var enforcement: ApproovEnforcement {
            switch index.load(ordering: .acquiring) {
            case 0: .off
            case 1: .annotate
            default: .reject
            }
        }

        func turn(to enforcement: ApproovEnforcement) {
            index.store(Self.index(of: enforcement), ordering: .releasing)
        }

        private static func index(of enforcement: ApproovEnforcement) -> Int {
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

    /// The names of the apps.
    package var apps: [String] { positions.withLock { $0.map(\.app) } }

    /// The enforcement of an app; nil for an unknown app.
    public func enforcement(of app: String) -> ApproovEnforcement? { position(of: app)?.enforcement }

    /// Sets the enforcement of one app for all later requests, until it is set again or a new policy changes it.
    ///
    /// - Parameters:
    ///   - enforcement: the enforcement.
    ///   - app: the name of the policy's app.
    ///   - cause: the reason in the log.
    /// - Throws: `RequestError` when the policy has no such app.
    public func turn(
        to enforcement: ApproovEnforcement, for app: String, because cause: String
    ) throws(RequestError) {
        let isKnown = positions.withLock { positions in
            guard let position = positions.first(where: { $0.app.isByteEqual(to: app) }) else { return false }
            turn(position, to: enforcement, because: cause)
            return true
        }
        guard isKnown else { throw RequestError(.unknownApp, "there is no app \(app.excerpt) to switch") }
    }

    /// Sets the enforcement of all apps.
    public func turnAll(to enforcement: ApproovEnforcement, because cause: String) {
        positions.withLock { positions in
            for position in positions { turn(position, to: enforcement, because: cause) }
        }
    }

    func position(of app: String) -> Position? {
        positions.withLock { $0.first { $0.app.isByteEqual(to: app) } }
    }

    /// Adopts the enforcement of a policy for new apps, and for those for which it differs from the former policy. A position
    /// set by hand survives other changes of the policy.
    func follow(_ apps: [GuardedApp], after former: [GuardedApp]) {
        positions.withLock { positions in
            for app in apps {
                let enforcement = app.configuration.enforcement
                guard let position = positions.first(where: { $0.app.isByteEqual(to: app.name) }) else {
                    positions.append(Position(app: app.name, enforcement))
                    continue
                }
                let before = former.first { $0.name.isByteEqual(to: app.name) }?.configuration.enforcement
                if before != enforcement { turn(position, to: enforcement, because: "the policy") }
            }
        }
    }

    /// Sets and logs, under the lock for the right order in the log.
    private func turn(
        _ position: Position, to enforcement: ApproovEnforcement, because cause: String
    ) {
        let before = position.enforcement
        guard before != enforcement else { return }
        position.turn(to: enforcement)
        logger.warning(
            "Approov enforcement switched",
            metadata: [
                "approov.app": "\(position.app.excerpt)", "approov.from": "\(before.rawValue)",
                "approov.to": "\(enforcement.rawValue)", "approov.cause": "\(cause.excerpt)",
            ])
    }
}
