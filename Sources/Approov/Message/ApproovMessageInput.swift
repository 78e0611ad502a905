public import AssayCore

/// A request with an Approov token and a signature over the request.
public typealias ApproovMessageInput = SignedRequest

/// How a server treats a request whose evidence is rejected.
public typealias ApproovEnforcement = Enforcement
