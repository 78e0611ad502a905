public import Approov
import Assay
public import AssayCore
import Logging
import Synchronization

/// The emergency switch: what is done with rejected requests, app by app, while the server runs.
///
/// It begins with the policy's `enforcement`. Reading it takes no lock. Every turn of it is logged as a warning.
public final class ApproovSwitch: Sendable {
    /// The position for one app. Requests read it; whoever holds the lock of the switch writes it.
    final class Position: Sendable {
        let app: String
        private let index: Atomic<Int>

        init(app: String, _ enforcement: ApproovConfiguration.Enforcement) {
            self.app = app
            index = Atomic(Self.index(of: enforcement))
        }

        var enforcement: ApproovConfiguration.Enforcement {
            switch index.load(ordering: .acquiring) {
            case 0: .off
            case 1: .annotate
            default: .reject
            }
        }

        func turn(to enforcement: ApproovConfiguration.Enforcement) {
            index.store(Self.index(of: enforcement), ordering: .releasing)
        }

        private static func index(of enforcement: ApproovConfiguration.Enforcement) -> Int {
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

    /// The names of the apps that have a position.
    public var apps: [String] { positions.withLock { $0.map(\.app) } }

    /// What is done for an app now, and nil for an app that the policy does not have.
    public func enforcement(of app: String) -> ApproovConfiguration.Enforcement? { position(of: app)?.enforcement }

    /// Turns the switch for one app. It holds for every request that comes in from now on, and until it is turned again:
    /// by hand, or by a policy that says something else of the app than the policy before.
    ///
    /// - Parameters:
    ///   - enforcement: what to do from now on.
    ///   - app: the name of the policy's app.
    ///   - cause: who or what turns it, for the log.
    /// - Throws: ``RequestError`` when the policy has no such app.
    public func turn(
        to enforcement: ApproovConfiguration.Enforcement, for app: String, because cause: String
    ) throws(RequestError) {
        let isKnown = positions.withLock { positions in
            guard let position = positions.first(where: { $0.app.isByteEqual(to: app) }) else { return false }
            turn(position, to: enforcement, because: cause)
            return true
        }
        guard isKnown else { throw RequestError(.unknownApp, "there is no app \(app.excerpt) to switch") }
    }

    /// Turns the switch for every app.
    public func turnAll(to enforcement: ApproovConfiguration.Enforcement, because cause: String) {
        positions.withLock { positions in
            for position in positions { turn(position, to: enforcement, because: cause) }
        }
    }

    func position(of app: String) -> Position? {
        positions.withLock { $0.first { $0.app.isByteEqual(to: app) } }
    }

    /// Follows a policy: new apps get the position that it names, and known ones where it says something else than the
    /// policy before. What was turned by hand stays when a policy is read again for another reason.
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

    /// Turns and logs. The lock is held, so that the log tells the order in which it happened.
    private func turn(
        _ position: Position, to enforcement: ApproovConfiguration.Enforcement, because cause: String
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
