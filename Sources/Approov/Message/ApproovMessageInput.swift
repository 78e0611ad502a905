import AssayCore

/// A signed HTTP request to be verified.
public struct ApproovMessageInput: Sendable {
    /// A field of a request.
    public struct Field: Sendable, Equatable {
        /// The name, in any case.
        package let name: String
        /// The value, as received.
        package let value: String

        /// Composes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The content of a request.
    public enum Body: Sendable {
        /// The whole of it; no bytes when there is none.
        case bytes([UInt8])
        /// The digests of a streamed body; nil for an algorithm that was not computed, whose digests never match.
        case digests(sha256: [UInt8]?, sha512: [UInt8]?)
        /// A body that has not been read yet; it counts as present even if it is empty. The caller must compare it with every
        /// digest of ``MessageFacts/contentDigests`` before it uses the body.
        case unread
    }

    /// The method, such as `POST`.
    package let method: String
    /// The target URI, RFC 9110 section 7.1, such as `https://api.example.com/v1/items?a=1`.
    ///
    /// Take scheme and host from the server's configuration, or from X-Forwarded fields that your own proxy sets.
    ///
    /// Servers never receive a fragment. For clients that sign it, with the policy's quirk `target-uri-with-fragment`, append
    /// the fragment that the app is known to use, never one from the request, which may not be signed. Without the quirk a URI
    /// with a fragment is refused.
    package let targetURI: String
    /// The fields, in the order received.
    package let fields: [Field]
    /// The content.
    package let body: Body
    /// The client's address, IPv4 or IPv6; nil if it is not known.
    package let address: String?

    /// Composes the input of a verification.
    public init(method: String, targetURI: String, fields: [Field], body: Body, address: String? = nil) {
        self.method = method
        self.targetURI = targetURI
        self.fields = fields
        self.body = body
        self.address = address
    }
}
