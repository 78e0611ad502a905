import Approov
public import Assay
public import AssayCore
public import Logging
import Synchronization

/// The verifier of a running server, which can be exchanged for one with another policy or other keys.
///
/// Requests that are being judged are judged to their end by the verifier that they began with, and none is lost.
public final class LiveVerifier: Sendable {
    /// What requests are judged with: immutable, exchanged as a whole.
    final class State: Sendable {
        let verifier: Verifier
        let apps: [GuardedApp]

        init(_ verifier: Verifier) throws(PolicyError) {
            self.verifier = verifier
            let configured = verifier.policy.apps.compactMap { app in
                app.configuration(ApproovConfiguration.self).map { (app.name, $0) }
            }
            var apps: [GuardedApp] = []
            for (name, configuration) in configured {
                apps.append(try GuardedApp(name, isOnly: configured.count == 1, configuration))
            }
            self.apps = apps
        }

        func app(_ name: String) -> GuardedApp? { apps.first { $0.name.isByteEqual(to: name) } }
    }

    /// What a middleware relies on.
    private struct Use {
        let app: String
        let hasOrigins: Bool
    }

    private struct Holder {
        var state: State
        var uses: [Use] = []
    }

    private let holder: Mutex<Holder>
    /// The switch for what is done with rejected requests.
    public let enforcement: ApproovSwitch

    /// Begins with a verifier.
    ///
    /// - Parameters:
    ///   - verifier: judges requests.
    ///   - logger: gets a warning for every turn of the switch.
    /// - Throws: ``PolicyError`` when a field that a policy composed in code names can be none of HTTP.
    public init(_ verifier: Verifier, logger: Logger) throws(PolicyError) {
        let state = try State(verifier)
        holder = Mutex(Holder(state: state))
        enforcement = ApproovSwitch(logger: logger)
        enforcement.follow(state.apps, after: [])
    }

    /// The verifier that judges the next request.
    public var verifier: Verifier { state.verifier }

    var state: State { holder.withLock { $0.state } }

    /// Exchanges the verifier: the next request is judged by the new one.
    ///
    /// The switch follows where the new policy's `enforcement` is another than the old policy's.
    /// - Throws: ``PolicyError`` when the new policy lacks an app that a middleware checks requests for, or demands signed
    ///   messages where the middleware was given no origins. The old verifier stays then.
    public func exchange(for verifier: Verifier) throws(PolicyError) {
        let state = try State(verifier)
        let objection = holder.withLock { holder -> PolicyError? in
            for use in holder.uses {
                if let objection = Self.objection(to: use, in: state) { return objection }
            }
            enforcement.follow(state.apps, after: holder.state.apps)
            holder.state = state
            return nil
        }
        if let objection { throw objection }
    }

    /// Whether a middleware checks requests for an app.
    func isInUse(_ app: String) -> Bool {
        holder.withLock { $0.uses.contains { $0.app.isByteEqual(to: app) } }
    }

    /// Notes that a middleware checks requests for an app, and gives the app's position of the switch.
    ///
    /// - Parameter app: the name of the app, and nil for the only one of the policy.
    func use(app: String?, hasOrigins: Bool) throws(PolicyError) -> ApproovSwitch.Position {
        let result = holder.withLock { holder -> Result<String, PolicyError> in
            let apps = holder.state.apps
            guard let name = app ?? (apps.count == 1 ? apps.first?.name : nil) else {
                return .failure(
                    PolicyError(field: "apps", "the policy has \(apps.count) apps with approov; name the one to check"))
            }
            let use = Use(app: name, hasOrigins: hasOrigins)
            if let objection = Self.objection(to: use, in: holder.state) { return .failure(objection) }
            holder.uses.append(use)
            return .success(name)
        }
        let name = try result.get()
        guard let position = enforcement.position(of: name) else { throw Self.absence(of: name) }
        return position
    }

    private static func objection(to use: Use, in state: State) -> PolicyError? {
        guard let app = state.app(use.app) else { return absence(of: use.app) }
        guard use.hasOrigins || app.configuration.messageSigning == nil else {
            return PolicyError(
                field: "apps",
                "app \(use.app.excerpt) demands signed messages, and the middleware was not told the origins that their "
                    + "target URIs begin with; pass it origins, such as https://api.example.com")
        }
        return nil
    }

    private static func absence(of app: String) -> PolicyError {
        PolicyError(
            field: "apps",
            "the server checks requests for app \(app.excerpt), which the policy has not, or not with approov")
    }
}
