/// A signed HTTP request to verify (RFC 9421).
public struct SignedRequest: Sendable {
    /// A field of a request.
    public struct Field: Sendable, Equatable {
        /// The name, case-insensitive.
        package let name: String
        /// The value, as received.
        package let value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The body of a request.
    public enum Body: Sendable {
        /// The whole body; empty for none.
        case bytes([UInt8])
        /// The digests of a streamed body; nil for an algorithm that was not computed. A nil digest never matches.
        case digests(sha256: [UInt8]?, sha512: [UInt8]?)
        /// A body that is not read yet. It counts as present even if it is empty. The caller must compare the body with
        /// every digest of ``MessageFacts/contentDigests`` before use.
        case unread
    }

    /// The method, such as `POST`.
    package let method: String
    /// The target URI (RFC 9110 section 7.1), such as `https://api.example.com/v1/items?a=1`.
    ///
    /// Take scheme and host from the server's configuration, or from X-Forwarded fields that your own proxy sets.
    ///
    /// Servers never receive a fragment, and a URI with a fragment is rejected. Approov's quirk `target-uri-with-fragment`
    /// is for clients that sign it. With the quirk, append the fragment that the app is known to use, never one from the
    /// request, which may be unsigned.
    package let targetURI: String
    /// The fields in the order received.
    package let fields: [Field]
    package let body: Body
    /// The client's address, IPv4 or IPv6; nil if unknown.
    package let address: String?

    /// Creates the input of a verification.
    public init(method: String, targetURI: String, fields: [Field], body: Body, address: String? = nil) {
        (self.method, self.targetURI, self.fields) = (method, targetURI, fields)
        (self.body, self.address) = (body, address)
    }
}
