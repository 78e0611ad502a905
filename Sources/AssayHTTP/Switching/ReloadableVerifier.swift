public import Assay
public import AssayCore
import HTTPTypes
public import Logging
import Synchronization

/// The verifier of a running server. It can be exchanged for one with another policy or other keys. Requests keep the
/// verifier with which they started.
public final class ReloadableVerifier: Sendable {
    /// The verifier and its demands on requests, exchanged together.
    package final class State: Sendable {
        let verifier: Verifier
        let evidence: [RequiredEvidence]
        /// The routes of the policy.
        private let routes: [GuardedRoute]
        /// One route for each kind of evidence of each app.
        private let apps: [GuardedRoute]
        /// The policy's `propertyHeader`.
        private let propertyField: CarriedFields?

        fileprivate init(
            _ verifier: Verifier, _ evidence: [RequiredEvidence], _ positions: [EnforcementSwitch.Position]
        ) {
            self.verifier = verifier
            self.evidence = evidence
            propertyField = verifier.policy.propertyHeader.flatMap { try? CarriedFields([$0], app: "") }
            let demands = zip(evidence, positions).map { GuardedRoute.Demand(evidence: $0, position: $1) }
            apps = demands.map { GuardedRoute(name: $0.evidence.app, requirement: .any, demands: [$0]) }
            let named = Dictionary(demands.map { ($0.evidence.name, $0) }, uniquingKeysWith: { first, _ in first })
            routes = verifier.policy.routes.map { route in
                GuardedRoute(
                    name: route.name, requirement: route.requirement,
                    demands: route.evidence.compactMap { named[EvidenceName(app: $0.app, kind: $0.kind)] })
            }
        }

        /// What a request claims in the policy's `propertyHeader`, where no signature covers fields.
        func property(in fields: HTTPFields) -> ClientProperty? {
            property { CarriedFields.value($0, of: fields) }
        }

        /// The same for fields of which only some are read.
        func property(_ value: (HTTPField.Name) -> RequestFieldValue) -> ClientProperty? {
            guard let propertyField, case .value(let text) = value(propertyField.name(0)) else { return nil }
            return ClientProperty(claimed: text)
        }

        /// The route of a middleware.
        func route(_ selector: RouteSelector) -> GuardedRoute? {
            switch selector {
            case .route(let name): routes.first { $0.name.isByteEqual(to: name) }
            case .app(let name, let kind): apps.first { $0.demands[0].evidence.isOf(app: name, kind: kind) }
            }
        }

        /// The route with a name: a route of the policy, or an app with one kind of evidence. The name of an app never stands for
        /// the statement of a device without evidence.
        ///
        /// - Throws: `RequestError` if there is none, or if the app has several kinds.
        package func route(named name: String) throws(RequestError) -> GuardedRoute {
            if let route = route(.route(name)) { return route }
            let found = apps.filter { $0.name.isByteEqual(to: name) && !$0.demands[0].evidence.isStatement }
            guard let only = found.first else {
                throw RequestError(
                    .unknownApp,
                    "the policy has no route and no app \(name.excerpt) that expects evidence with its requests"
                        + Nearest.advice(for: name, among: (routes + apps).map(\.name)))
            }
            guard found.count == 1 else {
                throw RequestError(
                    .ambiguousApp,
                    "app \(name.excerpt) expects several kinds of evidence, "
                        + "\(found.map(\.demands[0].evidence.kind.name).joined(separator: ", ")); name a route of the policy"
                )
            }
            return only
        }
    }

    /// The route that a middleware guards.
    enum RouteSelector: Sendable {
        case route(String)
        /// One kind of evidence of an app.
        case app(String, EvidenceKind)
    }

    /// The requirements of a middleware.
    private struct Use {
        let selector: RouteSelector
        let hasOrigins: Bool
    }

    private struct Holder {
        var state: State
        var uses: [Use] = []
    }

    private let holder: Mutex<Holder>
    /// The enforcement switch.
    public let enforcement: EnforcementSwitch

    /// Starts with a verifier.
    ///
    /// - Parameters:
    ///   - verifier: the verifier.
    ///   - logger: logs every change of the switch as a warning.
    /// - Throws: `PolicyError` when a policy composed in code has an invalid field name.
    public init(_ verifier: Verifier, logger: Logger) throws(PolicyError) {
        enforcement = EnforcementSwitch(logger: logger, ledger: verifier.ledger)
        let evidence = try RequiredEvidence.all(of: verifier)
        holder = Mutex(
            Holder(
                state: State(
                    verifier, evidence, enforcement.follow(evidence, after: [], ledger: verifier.ledger))))
    }

    /// The verifier for new requests, under the policy that was exchanged last.
    ///
    /// Handlers of your own, such as those that issue challenges and enrol keys, take it once at the start of each request:
    ///
    ///     router.post("challenges") { _, _ in
    ///         try await live.verifier.issueChallenge(app: "shop-ios", for: .appAttestRequest, at: Date()).text
    ///     }
    ///
    /// A handler that stores it judges by the policy of that day, also after a reload.
    public var verifier: Verifier { state.verifier }

    /// The state for new requests.
    package var state: State { holder.withLock { $0.state } }

    /// Exchanges the verifier for all later requests. The switch adopts each `enforcement` that the new policy changes.
    ///
    /// - Throws: `PolicyError` when the new policy lacks an app or route of a middleware, or requires signed requests and the
    ///   middleware has no origins. Then the old verifier stays.
    public func exchange(for verifier: Verifier) throws(PolicyError) {
        let evidence = try RequiredEvidence.all(of: verifier)
        let objection = holder.withLock { holder -> PolicyError? in
            for use in holder.uses {
                if let objection = Self.objection(to: use, evidence, verifier.policy.routes) { return objection }
            }
            holder.state = State(
                verifier, evidence,
                enforcement.follow(evidence, after: holder.state.evidence, ledger: verifier.ledger))
            return nil
        }
        if let objection { throw objection }
    }

    /// Whether a middleware verifies a kind of evidence of an app.
    func isInUse(_ app: String, _ kind: EvidenceKind) -> Bool {
        holder.withLock { holder in
            holder.uses.contains { use in
                holder.state.route(use.selector)?.demands.contains { $0.evidence.isOf(app: app, kind: kind) } ?? false
            }
        }
    }

    /// Registers a middleware for an app.
    ///
    /// - Parameters:
    ///   - app: the name of the app; nil for the only one that expects evidence with its requests.
    ///   - kind: the kind of evidence; nil for the only one of the app.
    func use(app: String?, kind: EvidenceKind?, hasOrigins: Bool) throws(PolicyError) -> RouteSelector {
        let evidence = state.evidence.filter { evidence in
            (app.map { evidence.app.isByteEqual(to: $0) } ?? true)
                && (kind.map { evidence.kind == $0 } ?? !evidence.isStatement)
        }
        guard let only = evidence.first, evidence.count == 1 else {
            if let app, evidence.isEmpty { throw Self.absence(of: app, kind) }
            throw PolicyError(
                field: "apps",
                app.map { "app \($0.excerpt) expects \(evidence.count) kinds of evidence; name the kind to check" }
                    ?? "the policy has \(evidence.count) apps that expect evidence with requests; name the one to check"
            )
        }
        return try register(Use(selector: .app(only.app, only.kind), hasOrigins: hasOrigins))
    }

    /// Registers a middleware for a route of the policy.
    func use(route: String, hasOrigins: Bool) throws(PolicyError) -> RouteSelector {
        try register(Use(selector: .route(route), hasOrigins: hasOrigins))
    }

    private func register(_ use: Use) throws(PolicyError) -> RouteSelector {
        let objection = holder.withLock { holder -> PolicyError? in
            if let objection = Self.objection(to: use, holder.state.evidence, holder.state.verifier.policy.routes) {
                return objection
            }
            holder.uses.append(use)
            return nil
        }
        if let objection { throw objection }
        return use.selector
    }

    private static func objection(
        to use: Use, _ evidence: [RequiredEvidence], _ routes: [PolicyRoute]
    ) -> PolicyError? {
        let demanded: [RequiredEvidence]
        switch use.selector {
        case .app(let app, let kind):
            demanded = evidence.filter { $0.isOf(app: app, kind: kind) }
            guard !demanded.isEmpty else { return absence(of: app, kind) }
        case .route(let name):
            guard let route = routes.first(where: { $0.name.isByteEqual(to: name) }) else {
                return PolicyError(
                    field: "routes", "the server checks requests for route \(name.excerpt), which the policy lacks")
            }
            demanded = evidence.filter { known in
                route.evidence.contains { known.isOf(app: $0.app, kind: $0.kind) }
            }
        }
        guard !use.hasOrigins, let signed = demanded.first(where: \.coversTarget) else { return nil }
        return PolicyError(
            field: "apps",
            "app \(signed.app.excerpt) demands signed requests, and the middleware was not told the origins that their "
                + "target URIs begin with; pass it origins, such as https://api.example.com")
    }

    private static func absence(of app: String, _ kind: EvidenceKind?) -> PolicyError {
        PolicyError(
            field: "apps",
            "the server checks requests for app \(app.excerpt), for which the policy expects no "
                + "\(kind?.name.excerpt ?? "evidence") with requests")
    }
}
