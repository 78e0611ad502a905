/// When the body of a signed request is held against the digests that its signature covers. Bodies of apps without signed
/// messages are not touched.
public struct ApproovBodyMode: Sendable, Equatable {
    let isStreamed: Bool
    /// The most bytes of a body.
    package let limit: Int

    /// The body is read as a whole, before the handler sees the request, and the handler gets it as it was.
    ///
    /// - Parameter limit: the most bytes of a body; a longer one is answered with 413, and before it is read where its
    ///   `Content-Length` tells.
    public static func collected(upTo limit: Int = 2 << 20) -> ApproovBodyMode {
        ApproovBodyMode(isStreamed: false, limit: limit)
    }

    /// Everything but the body is judged first, and the body is checked while the handler reads it. The last part is held
    /// back until the digests match: when they do not, it never comes, the reading ends with ``StreamedBodyError``, and the
    /// client is told of an error whatever the handler answers.
    ///
    /// Until then the parts are not known to be what the client signed: a handler acts on them only after the last one.
    /// A request that does not announce a body by its fields is treated as if collected, and so is its body on HTTP/2.
    /// - Parameter limit: the most bytes of a body.
    public static func streamed(upTo limit: Int = 1 << 30) -> ApproovBodyMode {
        ApproovBodyMode(isStreamed: true, limit: limit)
    }
}
