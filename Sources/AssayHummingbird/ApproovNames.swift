// The names that these types had while the middleware was for Approov alone.

/// ``EvidenceMiddleware``.
public typealias ApproovMiddleware<Context: EvidenceRequestContext> = EvidenceMiddleware<Context>
/// ``EvidenceMiddlewareOptions``.
public typealias ApproovMiddlewareOptions = EvidenceMiddlewareOptions
/// ``RequestBodyMode``.
public typealias ApproovBodyMode = RequestBodyMode
/// ``ServerOrigins``.
public typealias ApproovOrigins = ServerOrigins
/// ``TrustedProxy``.
public typealias ApproovProxy = TrustedProxy
/// ``EnforcementSwitch``.
public typealias ApproovSwitch = EnforcementSwitch
/// ``RequestOutcome``.
public typealias ApproovOutcome = RequestOutcome
/// ``RequestObstacle``.
public typealias ApproovObstacle = RequestObstacle
/// ``JudgedRequest``.
public typealias ApproovRequest = JudgedRequest
/// ``BasicEvidenceRequestContext``.
public typealias BasicApproovRequestContext = BasicEvidenceRequestContext

/// An ``EvidenceRequestContext`` that stores the result as `approov`.
public protocol ApproovRequestContext: EvidenceRequestContext {
    /// The result; nil for a request that did not pass through the middleware.
    var approov: JudgedRequest? { get set }
}

extension ApproovRequestContext {
    /// The same as `approov`.
    public var judged: JudgedRequest? {
        get { approov }
        set { approov = newValue }
    }
}

extension BasicEvidenceRequestContext: ApproovRequestContext {
    /// The same as ``judged``.
    public var approov: JudgedRequest? {
        get { judged }
        set { judged = newValue }
    }
}
