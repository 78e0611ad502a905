import Approov
public import Assay
public import AssayCore
import HTTPTypes
public import Logging
import Synchronization

/// The verifier of a running server, which can be exchanged for one with another policy or other keys. Requests keep the
/// verifier with which they started.
public final class LiveVerifier: Sendable {
    /// The verifier and its apps, exchanged together.
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

    /// The requirements of a middleware.
    private struct Use {
        let app: String
        let hasOrigins: Bool
    }

    private struct Holder {
        var state: State
        var uses: [Use] = []
    }

    private let holder: Mutex<Holder>
    /// The enforcement switch.
    public let enforcement: ApproovSwitch

    /// Starts with a verifier.
    ///
    /// - Parameters:
    ///   - verifier: the verifier.
    ///   - logger: logs every change of the switch as a warning.
    /// - Throws: `PolicyError` when a policy composed in code has an invalid field name.
    public init(_ verifier: Verifier, logger: Logger) throws(PolicyError) {
        let state = try State(verifier)
        holder = Mutex(Holder(state: state))
        enforcement = ApproovSwitch(logger: logger)
        enforcement.follow(state.apps, after: [])
    }

    /// The verifier for the next request.
    package var verifier: Verifier { state.verifier }

    var state: State { holder.withLock { $0.state } }

    /// Exchanges the verifier for all later requests. The switch adopts each `enforcement` that the new policy changes.
    ///
    /// - Throws: `PolicyError` when the new policy lacks an app of a middleware, or requires signed messages and the middleware
    ///   has no origins. Then the old verifier stays.
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

    /// Registers a middleware for an app, and returns the app's position of the switch.
    ///
    /// - Parameter app: the name of the app; nil for the only one of the policy.
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

/// An app of the policy with its header fields. A class: requests share one.
final class GuardedApp: Sendable {
    let name: String
    /// The name for the verifier; nil for the only app, which saves a lookup.
    let selector: String?
    let configuration: ApproovConfiguration
    /// The field of the token.
    let tokenField: HTTPField.Name
    /// The fields that tokens are bound to, in their order.
    let boundFields: [HTTPField.Name]

    init(_ name: String, isOnly: Bool, _ configuration: ApproovConfiguration) throws(PolicyError) {
        self.name = name
        selector = isOnly ? nil : name
        self.configuration = configuration
        tokenField = try Self.field(configuration.tokenHeader, of: name)
        var bound: [HTTPField.Name] = []
        for text in configuration.binding { bound.append(try Self.field(text, of: name)) }
        boundFields = bound
    }

    private static func field(_ text: String, of app: String) throws(PolicyError) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw PolicyError(field: "apps", "app \(app.excerpt): \(text.excerpt) is no name of a field")
        }
        return name
    }

    /// The token of a request; empty without one. Two field lines are joined (RFC 9110 section 5.3), which gives no token: the
    /// request is rejected.
    func token(of fields: HTTPFields) -> String {
        var found: String?
        for field in fields where field.name == tokenField {
            guard found == nil else { return fields[tokenField] ?? "" }
            found = field.value
        }
        return found ?? ""
    }

    /// The values of the bound fields.
    func binding(of fields: HTTPFields) -> [ApproovBoundValue] {
        boundFields.map { name in
            if name == .cookie { return fields[.cookie].map { .value($0) } ?? .missing }
            // `Host` is not among these fields.
            let values = fields[values: name]
            return switch values.count {
            case 0: .missing
            case 1: .value(values[0])
            default: .repeated
            }
        }
    }
}
