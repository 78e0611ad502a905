import Assay
import AssayCore
import FoundationEssentials
import HTTPTypes

/// Verifies one request: assesses each kind of evidence without the body, then with it, and decides.
struct RouteDecision: Sendable {
    /// A demand of a route, with the current enforcement.
    struct Demand: Sendable {
        let evidence: RequiredEvidence
        let enforcement: Enforcement
    }

    /// A demand and its assessment without the body.
    fileprivate struct Head: Sendable {
        let demand: Demand
        let result: Result<Assessment, VerificationError>
        /// Whether the unread body was assumed to be empty.
        var isBodyAssumed = false
        /// Whether the request has the field of the evidence, whatever it holds. Not known of evidence without a field of its own.
        var isCarried = false
    }

    let judge: RequestJudge
    let requirement: PolicyRoute.Requirement
    /// The demands; at least one.
    let demands: [Demand]
    let account: String?
    /// The time of judgement. It does not change while the body arrives.
    let arrival: Date
    /// Nil without a capture, and before a request is known.
    private var capture: RequestCapture?

    init(
        judge: RequestJudge, requirement: PolicyRoute.Requirement, demands: [Demand], account: String?, arrival: Date
    ) {
        (self.judge, self.requirement, self.demands) = (judge, requirement, demands)
        (self.account, self.arrival) = (account, arrival)
    }

    private var options: EvidenceGuard.Options { judge.options }
    private var verifier: Verifier { judge.state.verifier }

    func judge(_ source: some RequestSource, mayStream: Bool) async -> RequestJudge.Judgement {
        let message: SignedParts?
        do throws(SignedParts.Unknown) {
            message = try demands.contains { $0.evidence.coversTarget } ? signedParts(of: source) : nil
        } catch {
            return .decided(decision(error.outcome))
        }
        let length = source.fields.contentLength
        let isStreamed = mayStream && ((length ?? 0) > 0 || source.fields.contains(.transferEncoding))
        let isPresent = isStreamed || (length ?? 0) > 0
        var route = self
        route.capture = RequestCapture(
            options.capture, source, message, isBodyPresent: isPresent, account: account, arrival: arrival)
        var heads: [Head] = []
        for demand in demands {
            heads.append(
                Head(
                    demand: demand, result: await assess(demand, source, message, isPresent: isPresent),
                    isBodyAssumed: !isPresent, isCarried: demand.evidence.isCarried(in: source.fields)))
        }
        guard case .attached = source.body, let message, needsBody(heads) else {
            return .decided(await route.decide(heads))
        }
        if let length, length > options.body.limit { return .decided(decision(.unjudged(.bodyTooLong))) }
        return .undecided(
            UnreadRequest(
                route: route, heads: heads, message: message, length: length, isStreamed: isStreamed,
                isBodyAssumed: !isPresent, digests: BodyDigests(for: source.fields)))
    }

    // MARK: Before the body

    private func signedParts(of source: some RequestSource) throws(SignedParts.Unknown) -> SignedParts {
        guard let origins = options.origins else {
            throw SignedParts.Unknown(
                .misconfigured(RequestError(.noService, "the server has no origins for signed requests")))
        }
        guard ServerOrigins.isTarget(source.target) else { throw SignedParts.Unknown(.unjudged(.badTarget)) }
        if case .malformed = source.host { throw SignedParts.Unknown(.unjudged(.badHost)) }
        let uri = origins.targetURI(path: source.target) { source.authority }
        guard let uri else { throw SignedParts.Unknown(.unjudged(.unknownHost)) }
        return SignedParts(
            method: source.method, targetURI: uri, fields: source.fields.signable(host: source.host.text),
            address: source.address)
    }

    private func assess(
        _ demand: Demand, _ source: some RequestSource, _ message: SignedParts?, isPresent: Bool
    ) async -> Result<Assessment, VerificationError> {
        switch demand.evidence.form {
        case .fields(let names):
            let fields = source.fields
            do throws(VerificationError) {
                return .success(
                    try await verifier.assess(
                        fields: { names.value($0, of: fields) }, property: judge.state.property(in: fields),
                        address: source.address, with: demand.evidence.engine, app: demand.evidence.app,
                        account: account, at: arrival))
            } catch { return .failure(error) }
        case .head: return await assess(demand, message, .bytes([]))
        case .signature(_, let rule):
            return await assess(
                demand, message,
                RequiredEvidence.unreadBody(at: source.body, isPresent: isPresent, rule, source.fields))
        }
    }

    private func assess(
        _ demand: Demand, _ message: SignedParts?, _ body: SignedRequest.Body
    ) async -> Result<Assessment, VerificationError> {
        guard let message else {
            return .failure(.request(RequestError(.unknownKind, "\(demand.evidence.kind) signs no requests")))
        }
        let request = SignedRequest(
            method: message.method, targetURI: message.targetURI, fields: message.fields, body: body,
            address: message.address)
        do throws(VerificationError) {
            return .success(
                try await verifier.assess(
                    signed: request, with: demand.evidence.engine, app: demand.evidence.app, account: account,
                    at: arrival))
        } catch { return .failure(error) }
    }

    /// Whether the body decides: the evidence is acceptable so far, and so is the rest of the route.
    private func needsBody(_ heads: [Head]) -> Bool {
        let isPossible =
            switch requirement {
            case .any: true
            case .all: heads.allSatisfy { $0.isAcceptable || $0.demand.enforcement == .annotate }
            }
        return isPossible && heads.contains { $0.demand.evidence.coversBody && $0.isAcceptable }
    }

    // MARK: With the body

    /// Decides on a request whose head is assessed and whose body has been read.
    fileprivate func decide(
        _ heads: [Head], of message: SignedParts, _ digests: BodyDigests
    ) async -> RequestDecision {
        var whole: [Head] = []
        for head in heads {
            guard head.demand.evidence.coversBody, head.isAcceptable else {
                whole.append(head)
                continue
            }
            // An operator may have ended an allowance meanwhile. The ledger looks for blocks when it commits.
            if case .success(let assessment) = head.result, assessment.isAcceptable, !assessment.isExcused,
                digests.match(assessment.subject?.message?.contentDigests ?? [])
            {
                whole.append(head)
            } else {
                whole.append(Head(demand: head.demand, result: await assess(head.demand, message, digests.body)))
            }
        }
        return await decide(whole)
    }

    /// Decides on assessments. The ledger is written only here.
    fileprivate func decide(_ heads: [Head]) async -> RequestDecision {
        let decision =
            switch requirement {
            case .any: await decideAny(heads)
            case .all: await decideAll(heads)
            }
        // Accepting verdicts are captured when they are committed.
        if !decision.isAccepted, let verdict = decision.outcome.verdict { capture?.offer(verdict, decision.evidence) }
        return decision
    }

    /// The same with the body that has been read.
    fileprivate func reading(_ body: UnreadRequest.Body) -> RouteDecision {
        var route = self
        route.capture?.body = body
        return route
    }

    /// Accepts with the first accepted evidence. The statement of a device that it has none comes last, and admits no request with
    /// evidence that was rejected or could not be judged.
    private func decideAny(_ heads: [Head]) async -> RequestDecision {
        var failed: [(head: Head, outcome: RequestOutcome)] = []
        let statements = heads.filter(\.demand.evidence.isStatement)
        for head in heads.filter({ !$0.demand.evidence.isStatement }) + statements {
            let isStatement = head.demand.evidence.isStatement
            if isStatement, failed.contains(where: { $0.head.isCarried || $0.outcome.mayBeOfEvidence }) { break }
            let outcome = await commit([head])
            if outcome.outcome.isAccepted {
                return RequestDecision(outcome.outcome, head.demand.evidence, head.demand.enforcement)
            }
            failed.append((head, outcome.outcome))
        }
        // An outage may hide an acceptance. Otherwise the evidence that is present decides. Evidence that is only
        // annotated must not admit a request with rejected evidence of another app.
        if failed.allSatisfy({ $0.outcome.verdict != nil }) {
            let carried = failed.filter(\.outcome.isOfPresentEvidence)
            if let deciding = carried.first(where: { $0.head.demand.enforcement == .reject }) ?? carried.first {
                let demand = deciding.head.demand
                return RequestDecision(deciding.outcome, demand.evidence, demand.enforcement)
            }
        }
        let outage = failed.first { $0.outcome.verdict == nil }
        let lenient = failed.first { $0.head.demand.enforcement == .annotate }
        guard let deciding = outage ?? lenient ?? failed.first else { return decision(.off) }
        return RequestDecision(deciding.outcome, deciding.head.demand.evidence, enforcement(of: heads.map(\.demand)))
    }

    /// Accepts if all evidence is accepted, with one commit.
    private func decideAll(_ heads: [Head]) async -> RequestDecision {
        let failed = heads.filter { !$0.isAccepted }
        if let refused = failed.first(where: { $0.demand.enforcement == .reject }) {
            return RequestDecision(await commit([refused]).outcome, refused.demand.evidence, .reject)
        }
        var noted: RequestDecision?
        if let first = failed.first {
            noted = RequestDecision(await commit([first]).outcome, first.demand.evidence, .annotate)
        }
        var accepted = heads.filter(\.isAccepted)
        while let first = accepted.first {
            let (outcome, verdicts) = await commit(accepted)
            if outcome.isAccepted {
                return noted
                    ?? RequestDecision(outcome, first.demand.evidence, enforcement(of: demands), verdicts: verdicts)
            }
            let index = accepted.firstIndex { head in outcome.verdict.map(head.demand.evidence.isOf) ?? false }
            guard let index else {
                return RequestDecision(outcome, first.demand.evidence, enforcement(of: accepted.map(\.demand)))
            }
            let refused = accepted.remove(at: index).demand
            let decision = RequestDecision(outcome, refused.evidence, refused.enforcement)
            guard refused.enforcement == .annotate else { return decision }
            // The commit of the others excludes it.
            noted = noted ?? decision
        }
        return noted ?? decision(.off)
    }

    /// Commits the effects of several heads together. Returns the first rejecting verdict, or the first verdict if none
    /// rejects.
    private func commit(_ heads: [Head]) async -> (outcome: RequestOutcome, verdicts: [Verdict]) {
        do throws(VerificationError) {
            var assessments: [Assessment] = []
            for head in heads { assessments.append(try head.result.get()) }
            let verdicts = try await verifier.verdicts(of: assessments, at: options.now())
            guard let first = verdicts.first else { return (.off, []) }
            if let capture, first.outcome == .accept {
                for (head, verdict) in zip(heads, verdicts) { capture.offer(verdict, head.demand.evidence) }
            }
            return (.verdict(first), first.outcome == .accept ? verdicts : [first])
        } catch { return (RequestOutcome(error), []) }
    }

    // MARK: Decisions

    /// The decision on a request without assessable evidence.
    fileprivate func decision(_ outcome: RequestOutcome) -> RequestDecision {
        let signed = demands.first { $0.evidence.coversTarget } ?? demands[0]
        return RequestDecision(outcome, signed.evidence, enforcement(of: demands))
    }

    /// The enforcement for a request without evidence. If one of several apps suffices, the weakest enforcement
    /// applies.
    private func enforcement(of demands: [Demand]) -> Enforcement {
        let isAnnotated =
            switch requirement {
            case .any: demands.contains { $0.enforcement == .annotate }
            case .all: demands.allSatisfy { $0.enforcement == .annotate }
            }
        return isAnnotated ? .annotate : .reject
    }
}

/// A request whose head is acceptable, and whose body decides.
package struct UnreadRequest: Sendable {
    /// A body that has been read.
    package enum Body: Sendable {
        case bytes([UInt8])
        case digests(BodyDigests)
    }

    fileprivate let route: RouteDecision
    fileprivate let heads: [RouteDecision.Head]
    fileprivate let message: SignedParts
    /// The declared length of the body, at most the limit; nil if unknown.
    package let length: Int?
    /// Whether to read the body in parts.
    package let isStreamed: Bool
    /// Whether the head was assessed with an empty body.
    fileprivate let isBodyAssumed: Bool
    /// The digests of the body, before its first part.
    package let digests: BodyDigests

    /// Decides with the body.
    package func decide(_ body: Body) async -> RequestDecision {
        var digests = digests
        switch body {
        case .digests(let read): digests = read
        case .bytes(let bytes):
            guard bytes.count <= limit else { return decision(.unjudged(.bodyTooLong)) }
            digests.update(bytes.span.bytes)
        }
        guard digests.length <= limit else { return decision(.unjudged(.bodyTooLong)) }
        // A broken connection looks like the end of the body.
        if let length, length != digests.length { return decision(.unjudged(.bodyLengthDiffers)) }
        let route = route.reading(body)
        if isBodyAssumed, digests.length == 0 { return await route.decide(heads) }
        return await route.decide(heads, of: message, digests)
    }

    /// The decision on a body that cannot be judged.
    package func decision(_ outcome: RequestOutcome) -> RequestDecision { route.decision(outcome) }

    private var limit: Int { route.judge.options.body.limit }
}

extension RouteDecision.Head {
    /// Whether the evidence is accepted unless the ledger refuses.
    fileprivate var isAccepted: Bool { (try? result.get())?.isAcceptable ?? false }

    /// Whether the evidence may be accepted with the body. A body of unknown length is assumed to be empty, and
    /// assessed again if it is not.
    fileprivate var isAcceptable: Bool {
        guard let assessment = try? result.get() else { return false }
        if assessment.isAcceptable { return true }
        guard isBodyAssumed, case .signature(let contentDigest, _) = demand.evidence.form else { return false }
        return assessment.failed == [contentDigest]
    }
}

extension Assessment {
    fileprivate var failed: [CheckID] { checks.filter { $0.status == .failed }.map(\.check) }
}

extension RequestOutcome {
    /// Whether the request carries evidence of this kind, because at least one check passed.
    fileprivate var isOfPresentEvidence: Bool {
        verdict?.checks.contains { $0.status == .passed } ?? false
    }

    /// Whether the request carries evidence of this kind, or may carry some that could not be judged.
    fileprivate var mayBeOfEvidence: Bool { verdict == nil || isOfPresentEvidence }
}
