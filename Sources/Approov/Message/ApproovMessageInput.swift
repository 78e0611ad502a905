public import AssayCore

/// A request with an Approov token and a signature over the request.
public typealias ApproovMessageInput = SignedRequest

/// The treatment of a request with rejected evidence by a server.
public typealias ApproovEnforcement = Enforcement
