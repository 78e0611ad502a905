import Assay
import AssayCore
package import Logging

/// Logs the outcome of requests, without tokens, secrets and keys.
package enum RefusalLog {
    /// Logs a decision, acceptances at debug level, and adds it to the metadata of the request's logger.
    package static func write(_ decision: RequestDecision, route: String, to logger: inout Logger) {
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
        for (name, value) in decision.logFields { metadata["assay.\(name)"] = value }
        logger.log(level: level, "request check", metadata: metadata)
    }
}

extension RequestDecision {
    /// The log fields of a decision.
    package var logFields: [(name: String, value: Logger.MetadataValue)] {
        var fields: [(name: String, value: Logger.MetadataValue)] = [
            ("app", "\(app.excerpt)"), ("kind", "\(kind)"), ("outcome", "\(word)"),
        ]
        if !isAccepted { fields.append(("enforcement", "\(enforcement.rawValue)")) }
        switch outcome {
        case .verdict(let verdict):
            if let failed = verdict.failed.first {
                fields.append(("failed", .array(verdict.failed.map { "\($0.name)" })))
                if let detail = verdict.checks.first(where: { $0.check == failed })?.finding?.detail {
                    fields.append(("problem", "\(detail)"))
                }
            }
            for fact in verdict.engineSubject?.clientFacts ?? [] {
                fields.append((fact.name, "\(fact.value.excerpt)"))
            }
        case .outage(let outage): fields.append(("problem", "\(outage.description)"))
        case .misconfigured(let error): fields.append(("problem", "\(error.description)"))
        case .unjudged(let obstacle): fields.append(("problem", "\(obstacle.rawValue)"))
        case .pending: fields.append(("problem", "the handler ended before the body"))
        case .off: break
        }
        return fields
    }
}
