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
        /// The digests of a body that was read as it came.
        case digests(sha256: [UInt8], sha512: [UInt8])
        /// A body that is still to be read: the caller holds it against ``MessageFacts/contentDigests`` as it comes, and
        /// before anybody relies on it.
        case unread
    }

    /// The method, such as `POST`.
    public let method: String
    /// The target URI, RFC 9110 section 7.1, such as `https://api.example.com/v1/items?a=1`: what the client asked for.
    ///
    /// Scheme and host are for the server to know. Take them from X-Forwarded fields only when they are those of a proxy of
    /// your own.
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

/// What is known of the signature of an authentic message.
public struct MessageFacts: Sendable, Equatable {
    /// A digest of the body that the signature covers.
    public struct ContentDigest: Sendable, Equatable {
        /// The algorithm, `sha-256` or `sha-512`.
        public let algorithm: String
        /// The digest.
        public let value: [UInt8]
    }

    /// The label, `install` or `account`.
    public let label: String
    /// What the signature covers, as its input names it.
    public let components: [String]
    /// When it was made, in seconds since 1970.
    public let created: Int64?
    /// When it expires, in seconds since 1970.
    public let expires: Int64?
    /// The digests of the body that it covers.
    public let contentDigests: [ContentDigest]

    var fields: [SubjectField] {
        var fields = [SubjectField("signatureLabel", .text(label)), SubjectField("components", .texts(components))]
        if let created { fields.append(SubjectField("signatureCreated", .integer(created))) }
        if let expires { fields.append(SubjectField("signatureExpires", .integer(expires))) }
        return fields
    }
}
