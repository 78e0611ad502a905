package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Compares the certificates that apps see with those of the hosts. Evidence of another engine carries each of them, and is judged with
/// it.
package struct CertificateEngine: EvidenceEngine {
    package typealias Configuration = CertificateConfiguration

    package static let kinds = [EvidenceKind.mitmCertificate]
    package static let catalogue = CertificateCheck.catalogue

    private let apps: EngineApps<CertificateExpectations>
    /// The engines of the kinds that may carry a certificate.
    private let engines: [EvidenceKind: any EvidenceEngine]
    private let source: (any PresentedLeavesSource)?
    private let use: VerdictUse

    /// Prepares an engine for a policy, the engines of other kinds and, for hosts with `fetch`, a service that asks them.
    package init(policy: VerificationPolicy, resources: EngineResources) {
        apps = EngineApps(policy)
        engines = resources.engines.filter { Self.mayCarry($0.key) }
        source = resources.services.lazy.compactMap { $0 as? any PresentedLeavesSource }.first
        use = resources.use
    }

    /// Statements cover nothing, and a token has no challenge.
    private static func mayCarry(_ kind: EvidenceKind) -> Bool {
        kind != .noEvidence && kind != .assayToken && kind != .mitmCertificate
    }

    /// Assesses a record with the evidence that it carries. Commits nothing.
    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        guard record.kind == .mitmCertificate else {
            throw .request(RequestError(.unknownKind, "\(record.kind) is no certificate that an app saw"))
        }
        let input = try record.reading(CertificateInput.read)
        let expectations = try expectations(record.app, input.seen.host)
        guard let engine = engines[input.carried.kind] else {
            throw .record(
                RecordError(
                    field: "evidence.binding.kind", offset: 0,
                    "expected one of \(engines.keys.map(\.name).sorted().joined(separator: ", ")), found "
                        + input.carried.kind.name.excerpt))
        }
        var run = CheckRun(modes: expectations.modes, capacity: Self.catalogue.count)
        let decoded = run.decode(.mitmCertificateDecode) { () throws(DecodeError) in
            try DecodedCertificate(input.seen)
        }
        guard let decoded else {
            return Assessment(
                undecodable: .mitmCertificate, &run, catalogue: Self.catalogue,
                skipping: Self.catalogue.dropFirst().map(\.id), app: expectations.app)
        }
        let carried: Assessment
        do {
            carried = try await engine.assess(
                input.carried.carried(for: expectations.app, record), ledger: ledger, at: now)
        } catch { throw error.inBinding }
        guard carried.isAcceptable else { return rejected(carried, decoded, &run) }
        var check = CertificateCheck(seen: decoded, rule: expectations.configuration.rule(of: decoded.host))
        let bound = run.authenticity(.mitmCertificateBinding) { () throws(CheckFailure) in
            try check.binding(carried)
        }
        run.conditionalGate(.mitmCertificateHost, try check.host())
        run.endIfFailed()
        if run.failedAuthenticity == nil, let rule = check.rule, rule.fetch {
            check.presented = try await presented(by: rule, check, input)
        }
        let leaf = Result { () throws(CheckFailure) in try check.leaf() }
        let pin = Result { () throws(CheckFailure) in try check.pin(at: now) }
        if [leaf, pin].contains(where: { if case .failure = $0 { true } else { false } }) {
            run.allow(try await carried.standings(record.account, in: ledger, at: now))
        }
        run.policy(.mitmCertificateLeaf, try leaf.get())
        run.policy(.mitmCertificatePin, try pin.get())
        run.policy(.mitmCertificateAddresses, try check.addresses())
        return (bound ?? carried).carried(
            by: .mitmCertificate,
            CertificateSubject(decoded, isBound: bound != nil, presented: check.presented, carriedBy: carried),
            of: Self.catalogue, first: Array(run.results.prefix(1)), last: Array(run.results.dropFirst()))
    }

    /// Nothing is compared for evidence that a check of its own engine rejects.
    private func rejected(
        _ carried: Assessment, _ decoded: DecodedCertificate, _ run: inout CheckRun
    ) -> Assessment {
        let failed = carried.checks.first { $0.status == .failed }?.check ?? .mitmCertificateBinding
        return carried.carried(
            by: .mitmCertificate,
            CertificateSubject(decoded, isBound: false, presented: nil, carriedBy: carried),
            of: Self.catalogue, first: run.results,
            last: Self.catalogue.dropFirst().map { .skipped($0.id, because: .check(failed)) })
    }

    /// The app: the named one, the only one, or the only one with the host.
    private func expectations(_ app: String?, _ host: String) throws(VerificationError) -> CertificateExpectations {
        if let found = try apps.app(app) { return found }
        return try apps.app(by: "host") { $0.configuration.rule(of: host) != nil }
    }

    /// What the addresses of a host present: by the service; in a replay, by the capture.
    private func presented(
        by rule: HostRule, _ check: CertificateCheck, _ input: CertificateInput
    ) async throws(VerificationError) -> PresentedLeaves {
        if use == .analysis {
            if let captured = input.presented { return captured }
            throw .record(
                RecordError(
                    field: "evidence.presented", offset: 0,
                    "the field is missing: the policy says fetch: yes for \(rule.host), and a replay asks no host"))
        }
        guard let source else {
            throw .request(
                RequestError(
                    .noService,
                    "the policy says fetch: yes for \(rule.host), and there is no service that asks hosts for their certificates; "
                        + "give the verifier one, or the policy leaves or pins"))
        }
        let (seen, compare) = (PresentedLeaves.Leaf(digest: check.seen.digest, pin: check.seen.pin), rule.compare)
        do {
            return try await source.leaves(of: rule.host) { leaf in
                compare == .leaf ? leaf.digest == seen.digest : leaf.pin == seen.pin
            }
        } catch { throw .outage(error) }
    }

    /// Throws unless the policy gives tokens of an app for evidence of a kind.
    func requireExchangeable(_ kind: EvidenceKind, for app: String) throws(VerificationError) {
        guard kind != .mitmCertificate,
            apps.all.contains(where: { $0.app.isByteEqual(to: app) && $0.configuration.values.required })
        else { return }
        throw .request(
            RequestError(
                .notExchangeable,
                "no token is issued for this \(kind): the policy of app \(app.excerpt) says certificates.required: yes, so that the "
                    + "evidence must stand in a record of the kind \(EvidenceKind.mitmCertificate)"))
    }
}

extension VerificationError {
    /// The same error of carried evidence, with the path of its field in the record.
    fileprivate var inBinding: VerificationError {
        guard case .record(let error) = self else { return self }
        return .record(
            RecordError(field: "evidence.binding.\(error.field)", offset: error.offset, error.message))
    }
}
