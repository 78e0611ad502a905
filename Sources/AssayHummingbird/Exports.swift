// `import AssayHummingbird` also gives access to the types of this module.
@_exported public import AssayHTTP

/// Options of ``EvidenceMiddleware`` besides the policy.
public typealias EvidenceMiddlewareOptions = EvidenceGuard.Options
