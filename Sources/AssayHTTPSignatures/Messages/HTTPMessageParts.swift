/// What of an HTTP message can be signed (RFC 9421 section 2), as it was received.
///
/// Nothing here is taken from fields that tell of proxies: whoever stands behind one gives the target that the client
/// addressed.
package struct HTTPMessageParts: Sendable {
    /// One line of a header or trailer section.
    package struct Field: Sendable {
        /// The name, in any case.
        package let name: String
        /// The value, with or without white space around it.
        package let value: String

        /// Makes a line.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method, as it was received: methods are case-sensitive. Empty for a response.
    package var method: String
    /// The full target URI (RFC 9110 section 7.1), such as `https://example.com/path?query`. Empty for a response.
    ///
    /// `@target-uri` is this text byte for byte; what else is derived from it is normalised. A client that signs a
    /// fragment with it is verified by giving the text with the fragment.
    package var targetURI: String
    /// The request target of the request line (RFC 9112 section 3.2), when it is not the target's path and query: in
    /// absolute form, authority form or as an asterisk.
    package var requestTarget: String?
    /// The header section, in the order in which it was received.
    package var fields: [Field]
    /// The trailer section.
    package var trailers: [Field]
    /// The status code of a response, and nil for a request.
    package var status: Int?

    /// The request that a response answers, for components with the parameter `req`.
    package var request: HTTPMessageParts? {
        get { related.first }
        set { related = newValue.map { [$0] } ?? [] }
    }

    // A structure cannot hold another one of its kind directly.
    private var related: [HTTPMessageParts] = []

    /// The parts of a request.
    package init(
        method: String, targetURI: String, fields: [Field], trailers: [Field] = [], requestTarget: String? = nil
    ) {
        self.method = method
        self.targetURI = targetURI
        self.requestTarget = requestTarget
        self.fields = fields
        self.trailers = trailers
    }

    /// The parts of a response.
    package init(status: Int, fields: [Field], trailers: [Field] = [], to request: HTTPMessageParts? = nil) {
        self.init(method: "", targetURI: "", fields: fields, trailers: trailers)
        self.status = status
        self.request = request
    }

    /// The value of a field that may have come in several lines, joined by `, ` (RFC 9110 section 5.3), and nil when
    /// there is none. White space around each line is not part of it.
    ///
    /// - Parameter name: the name, in any case.
    package func combinedValue(of name: String) -> [UInt8]? {
        var value: [UInt8]?
        for field in fields where HTTPFieldText.isName(field.name, equalTo: name) {
            if value == nil {
                value = []
            } else {
                value? += [UInt8(ascii: ","), 0x20]
            }
            // An array, since the indices of strings cost many times as much.
            value?.append(contentsOf: HTTPFieldText.trimmed(Array(field.value.utf8)[...]))
        }
        return value
    }
}
