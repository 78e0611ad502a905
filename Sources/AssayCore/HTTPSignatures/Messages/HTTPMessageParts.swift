/// The parts of a received HTTP message that a signature can cover (RFC 9421 section 2). Does not use forwarding fields
/// of proxies: behind a proxy, the caller must pass the target that the client addressed.
package struct HTTPMessageParts: Sendable {
    /// One line of a header or trailer section.
    package struct Field: Sendable {
        /// The name, case-insensitive.
        package let name: String
        /// The value, with or without white space around it.
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method as received, case-sensitive. Empty for a response.
    package var method: String
    /// The full target URI (RFC 9110 section 7.1), such as `https://example.com/path?query`. Empty for a response.
    /// `@target-uri` is this text byte for byte, with any signed fragment. Other components are normalised.
    package var targetURI: String
    /// The request target (RFC 9112 section 3.2) in absolute, authority or asterisk form; nil for path and query.
    package var requestTarget: String?
    /// The header section, in received order.
    package var fields: [Field]
    /// The trailer section.
    package var trailers: [Field]
    /// The status code of a response, or nil for a request.
    package var status: Int?

    /// The request of a response, for components with the parameter `req`.
    package var request: HTTPMessageParts? {
        get { related.first }
        set { related = newValue.map { [$0] } ?? [] }
    }

    // An array: a struct cannot directly contain its own type.
    private var related: [HTTPMessageParts] = []

    package init(
        method: String, targetURI: String, fields: [Field], trailers: [Field] = [], requestTarget: String? = nil
    ) {
        (self.method, self.targetURI, self.requestTarget) = (method, targetURI, requestTarget)
        (self.fields, self.trailers) = (fields, trailers)
    }

    package init(status: Int, fields: [Field], trailers: [Field] = [], to request: HTTPMessageParts? = nil) {
        self.init(method: "", targetURI: "", fields: fields, trailers: trailers)
        self.status = status
        self.request = request
    }

    /// The trimmed lines of a field joined by `, ` (RFC 9110 section 5.3), or nil if there are none.
    /// - Parameter name: the name, case-insensitive.
    package func combinedValue(of name: String) -> [UInt8]? {
        var value: [UInt8]?
        for field in fields where HTTPFieldText.isName(field.name, equalTo: name) {
            if value == nil {
                value = []
            } else {
                value? += [UInt8(ascii: ","), 0x20]
            }
            // An array: its indices are much faster than those of a string.
            value?.append(contentsOf: HTTPFieldText.trimmed(Array(field.value.utf8)[...]))
        }
        return value
    }
}
