import Approov
import Assay
import Logging

/// Logs the outcome of requests, without tokens, secrets and keys.
enum RefusalLog {
    /// Logs an outcome, acceptances at debug level, and adds it to the metadata of the request's logger.
    static func write(
        _ outcome: ApproovOutcome, app: String, _ enforcement: ApproovEnforcement,
        to logger: inout Logger
    ) {
        guard !outcome.isAccepted else {
            logger.debug("Approov check", metadata: ["approov.app": "\(app)", "approov.outcome": "accept"])
            return
        }
        logger[metadataKey: "approov.outcome"] = "\(outcome.word)"
        var metadata = common(app, enforcement)
        switch outcome {
        case .verdict(let verdict):
            if let failed = verdict.failed.first {
                logger[metadataKey: "approov.failed"] = "\(failed.name)"
                if logger.logLevel <= .info,
                    let detail = verdict.checks.first(where: { $0.check == failed })?.finding?.detail
                {
                    metadata["approov.problem"] = "\(detail)"
                }
            }
            if let code = verdict.approov?.responseCode ?? verdict.approov?.claimed?.responseCode {
                metadata["approov.arc"] = "\(code.excerpt)"
            }
            logger.info("Approov check", metadata: metadata)
        case .outage(let outage):
            metadata["approov.problem"] = "\(outage.description)"
            logger.error("Approov check", metadata: metadata)
        case .misconfigured(let error):
            metadata["approov.problem"] = "\(error.description)"
            logger.error("Approov check", metadata: metadata)
        case .unjudged(let obstacle):
            metadata["approov.problem"] = "\(obstacle.rawValue)"
            logger.info("Approov check", metadata: metadata)
        case .pending:
            metadata["approov.problem"] = "the handler ended before the body"
            logger.info("Approov check", metadata: metadata)
        case .off: break
        }
    }

    private static func common(
        _ app: String, _ enforcement: ApproovEnforcement
    ) -> Logger.Metadata {
        ["approov.app": "\(app.excerpt)", "approov.enforcement": "\(enforcement.rawValue)"]
    }
}
