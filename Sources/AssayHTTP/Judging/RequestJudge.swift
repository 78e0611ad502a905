import Assay
package import AssayCore
package import HTTPTypes

/// Collects the evidence of a request and verifies it by the demands of a route.
package struct RequestJudge: Sendable {
    let state: ReloadableVerifier.State
    let settings: Settings

    /// The options. A class, so that all requests share one instance.
    package final class Settings: Sendable {
        package let options: EvidenceGuard.Options

        /// Stores options.
        package init(_ options: EvidenceGuard.Options) { self.options = options }
    }

    var options: EvidenceGuard.Options { settings.options }

    /// Creates a judge with a verifier and options.
    package init(state: ReloadableVerifier.State, settings: Settings) {
        self.state = state
        self.settings = settings
    }

    /// A decision, or a request whose body decides.
    package enum Judgement: Sendable {
        case decided(RequestDecision)
        indirect case undecided(UnreadRequest)
    }

    /// Verifies a request whose body has been read.
    ///
    /// - Parameter account: the account of the session.
    nonisolated(nonsending) package func decide(
        _ source: some RequestSource, _ body: UnreadRequest.Body, on route: GuardedRoute, account: String?
    ) async -> RequestDecision {
        if let decision = decideAtOnce(source, on: route, account: account) { return decision }
        switch await judge(source, mayStream: false, on: route, account: account) {
        case .decided(let decision): return decision
        case .undecided(let request): return await request.decide(body)
        }
    }

    /// Verifies a request without its body, and without waiting; nil if the verification may have to wait, or captures need all fields.
    ///
    /// - Parameters:
    ///   - address: the client's; nil if unknown.
    ///   - value: the value of a field of the request.
    package func decideAtOnce(
        on route: GuardedRoute, address: String?, account: String?, _ value: (HTTPField.Name) -> RequestFieldValue
    ) -> RequestDecision? {
        // Most routes demand one token.
        guard route.demands.count == 1, let only = route.demands.first, case .fields(let names) = only.evidence.form
        else { return nil }
        let (evidence, enforcement) = (only.evidence, only.position.enforcement)
        guard enforcement != .off else { return RequestDecision(.off, evidence, .off) }
        guard let engine = evidence.immediate, options.capture == nil else { return nil }
        do throws(VerificationError) {
            let verdict = try state.verifier.verifyAtOnce(
                fields: { value(names.name($0)) }, property: state.property(value), address: address, with: engine,
                app: evidence.app, account: account, at: options.now())
            guard let verdict else { return nil }
            return RequestDecision(verdict, evidence, enforcement)
        } catch { return RequestDecision(RequestOutcome(error), evidence, enforcement) }
    }

    /// ``decideAtOnce(on:address:account:_:)`` for a request with all its fields.
    func decideAtOnce(_ source: some RequestSource, on route: GuardedRoute, account: String?) -> RequestDecision? {
        let fields = source.fields
        return decideAtOnce(on: route, address: source.address, account: account) {
            CarriedFields.value($0, of: fields)
        }
    }

    /// Verifies a request without its body, which ``decideAtOnce(_:on:account:)`` could not.
    ///
    /// - Parameter mayStream: whether the body of a request with `Transfer-Encoding` is read in parts. Otherwise one without a length
    ///   is assumed to be empty until it has been read.
    nonisolated(nonsending) func judge(
        _ source: some RequestSource, mayStream: Bool, on route: GuardedRoute, account: String?
    ) async -> Judgement {
        if route.demands.count == 1, let only = route.demands.first, case .fields(let names) = only.evidence.form {
            let enforcement = only.position.enforcement
            guard enforcement != .off else { return .decided(RequestDecision(.off, only.evidence, .off)) }
            let outcome = await verify(source, names, only.evidence, account)
            return .decided(RequestDecision(outcome, only.evidence, enforcement))
        }
        var demands = route.demands.map {
            RouteDecision.Demand(evidence: $0.evidence, enforcement: $0.position.enforcement)
        }
        let off = demands.first { $0.enforcement == .off }
        if route.requirement == .all { demands.removeAll { $0.enforcement == .off } }
        if let off, route.requirement == .any || demands.isEmpty {
            return .decided(RequestDecision(.off, off.evidence, .off))
        }
        let examination = RouteDecision(
            judge: self, requirement: route.requirement, demands: demands, account: account, arrival: options.now())
        return await examination.judge(source, mayStream: mayStream)
    }

    nonisolated(nonsending) private func verify(
        _ source: some RequestSource, _ names: CarriedFields, _ evidence: RequiredEvidence, _ account: String?
    ) async -> RequestOutcome {
        let fields = source.fields
        let now = options.now()
        do throws(VerificationError) {
            let verdict = try await state.verifier.verify(
                fields: { names.value($0, of: fields) }, property: state.property(in: fields),
                address: source.address, with: evidence.engine, app: evidence.app, account: account, at: now)
            options.capture?.offer(verdict) {
                RequestCapture(
                    options.capture, source, nil, isBodyPresent: false, account: account, arrival: now)?
                    .record(of: evidence)
            }
            return .verdict(verdict)
        } catch { return RequestOutcome(error) }
    }
}
