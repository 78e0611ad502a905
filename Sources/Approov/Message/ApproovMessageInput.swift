import AssayCore

/// A signed HTTP request to be verified.
public struct ApproovMessageInput: Sendable {
    /// A field of a request.
    public struct Field: Sendable, Equatable {
        /// The name, in whatever case.
        public let name: String
        /// The value, as received.
        public let value: String

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
        /// The digests of a body that was read as it came; nil for one that was not computed, which then holds for
        /// nothing.
        case digests(sha256: [UInt8]?, sha512: [UInt8]?)
        /// A body that is still to be read, which counts as one even if nothing comes: the caller holds it against
        /// ``MessageFacts/contentDigests``, all of them, as it comes, and before anybody relies on it.
        case unread
    }

    /// The method, such as `POST`.
    public let method: String
    /// The target URI, RFC 9110 section 7.1, such as `https://api.example.com/v1/items?a=1`: what the client asked for.
    ///
    /// Scheme and host are for the server to know. Take them from X-Forwarded fields only when they are those of a proxy of
    /// your own.
    ///
    /// Servers never see a fragment. For clients that sign it nonetheless, with the policy's quirk
    /// `target-uri-with-fragment`, give the URI with the fragment that the app is known to have asked for, and never with
    /// one that came in the request, which nobody may have signed; without the quirk, such a URI is refused.
    public let targetURI: String
    /// The fields, in the order received.
    public let fields: [Field]
    /// The content.
    public let body: Body
    /// The address that the request came from, IPv4 or IPv6, and nil when it is not known.
    public let address: String?

    /// Composes the input of a verification.
    public init(method: String, targetURI: String, fields: [Field], body: Body, address: String? = nil) {
        self.method = method
        self.targetURI = targetURI
        self.fields = fields
        self.body = body
        self.address = address
    }
}
