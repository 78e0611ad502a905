package import AssayCore
package import Logging

/// Logs the outcome of requests, without tokens, secrets and keys.
package enum RefusalLog {
    /// Logs a decision, acceptances at debug level, and adds it to the metadata of the request's logger.
    ///
    /// - Parameters:
    ///   - account: the account of the session; nil for that of the key, if any.
    ///   - accounts: what the policy lets logs contain of accounts.
    package static func write(
        _ decision: RequestDecision, route: String, account: String?, _ accounts: @autoclosure () -> AddressRule,
        to logger: inout Logger
    ) {
        // Copies no verdict: that counts many references.
        if decision.isAccepted, logger.logLevel > .debug { return }
        let outcome = decision.outcome
        if case .off = outcome { return }
        let level: Logger.Level =
            switch outcome {
            case .verdict(let verdict): verdict.outcome == .accept ? .debug : .info
            case .outage, .misconfigured: .error
            case .unjudged, .pending, .off: .info
            }
        if level != .debug {
            logger[metadataKey: "assay.outcome"] = "\(outcome.word)"
            if let failed = outcome.verdict?.failed.first { logger[metadataKey: "assay.failed"] = "\(failed.name)" }
        }
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = ["assay.route": "\(route.excerpt)"]
        for (name, value) in decision.logFields(account: account, accounts()) { metadata["assay.\(name)"] = value }
        logger.log(level: level, "request check", metadata: metadata)
    }
}

/// Log fields without the prefix `assay.` of their names.
package typealias LogFields = [(name: String, value: Logger.MetadataValue)]

extension Verdict {
    /// The log fields of a verdict, whoever asked for it.
    ///
    /// - Parameters:
    ///   - account: the account that the backend named; nil for that of the key, if any.
    ///   - accounts: what the policy lets logs contain of accounts.
    package func logFields(account: String?, _ accounts: AddressRule) -> LogFields {
        var fields: LogFields = [("kind", "\(kind)"), ("outcome", "\(outcome.rawValue)")]
        if let app { fields.append(("app", "\(app.excerpt)")) }
        let failed = checks.filter { $0.status == .failed }
        if let first = failed.first {
            fields.append(("failed", .array(failed.map { "\($0.check.name)" })))
            fields.append(("codes", .array(failed.map { "\($0.finding?.code ?? "")" })))
            if let detail = first.finding?.detail { fields.append(("problem", "\(detail)")) }
        }
        for fact in engineSubject?.clientFacts ?? [] { fields.append((fact.name, "\(fact.value.excerpt)")) }
        if let account = (account ?? engineSubject?.account).flatMap(accounts.shown(account:)) {
            fields.append(("account", "\(account)"))
        }
        if let property { fields.append(("property", "\(property.value)")) }
        return fields
    }
}

extension RequestDecision {
    /// The log fields of a decision: those of its verdict, and what is done about it.
    package func logFields(account: String?, _ accounts: AddressRule) -> LogFields {
        var fields = outcome.verdict?.logFields(account: account, accounts) ?? []
        fields += [("app", "\(app.excerpt)"), ("kind", "\(kind)"), ("outcome", "\(word)")]
        if !isAccepted { fields.append(("enforcement", "\(enforcement.rawValue)")) }
        switch outcome {
        case .outage(let outage): fields.append(("problem", "\(outage.description)"))
        case .misconfigured(let error): fields.append(("problem", "\(error.description)"))
        case .unjudged(let obstacle): fields.append(("problem", "\(obstacle.rawValue)"))
        case .pending: fields.append(("problem", "the handler ended before the body"))
        case .verdict, .off: break
        }
        return fields
    }
}
