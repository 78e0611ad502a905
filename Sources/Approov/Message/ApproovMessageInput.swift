public import AssayCore

/// A request with an Approov token and a signature over the request.
public typealias ApproovMessageInput = SignedRequest
