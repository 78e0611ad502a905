import AssayCore
package import HTTPTypes

/// A request as the client sent it, as far as the server knows.
package protocol RequestSource: Sendable {
    /// The method, such as `POST`.
    var method: String { get }
    /// The path and query, as received.
    var target: String { get }
    /// The fields, in the order received.
    var fields: HTTPFields { get }
    /// The host in the request.
    var host: RequestHost { get }
    /// The authority that the client addressed; nil if unknown. Only needed with several origins.
    var authority: String? { get }
    /// The client's address; nil if unknown.
    var address: String? { get }
    /// The location of the body.
    var body: RequestBodyPlace { get }
}

/// The host in a request, with an optional port.
package enum RequestHost: Sendable {
    case known(String)
    /// The gateway does not state it. With one origin it is not needed.
    case unstated
    /// The host is missing, repeated, or more than host and port.
    case malformed

    /// The host that a gateway states; nil if it states none.
    package init(stated text: String?) {
        self = text.map { ServerOrigins.isHost($0) ? .known($0) : .malformed } ?? .unstated
    }

    /// The host; nil if unknown.
    package var text: String? {
        guard case .known(let text) = self else { return nil }
        return text
    }
}

/// The location of a request's body.
package enum RequestBodyPlace: Sendable {
    /// In the request to be answered. It may be empty.
    case attached
    /// There is no body, and none reaches the handler or upstream.
    case none
    /// There may be a body that this server does not see.
    case unseen
}

/// A request that this server received directly.
struct ReceivedRequest: RequestSource {
    let head: HTTPRequest
    let proxy: TrustedProxy
    /// The address of the peer of the connection.
    let peer: String?

    var method: String { head.method.rawValue }
    var target: String { head.path ?? "" }
    var fields: HTTPFields { head.headerFields }
    var host: RequestHost { TrustedProxy.host(of: head).map { .known($0) } ?? .malformed }
    var authority: String? { host.text.flatMap { proxy.authority(of: head, host: $0) } }
    var address: String? { proxy.address(of: head.headerFields, peer: peer) }
    var body: RequestBodyPlace { .attached }
}

/// The parts of a request that a signature covers, without its body.
struct SignedParts: Sendable {
    /// The reason why a request has no target URI.
    struct Unknown: Error {
        let outcome: RequestOutcome

        init(_ outcome: RequestOutcome) { self.outcome = outcome }
    }

    let method: String
    let targetURI: String
    let fields: [SignedRequest.Field]
    let address: String?
}

extension HTTPFields {
    /// The declared length of the body; nil without one, or for a malformed one, which the server has handled.
    var contentLength: Int? { self[.contentLength].flatMap { Int($0) } }

    /// The fields in the order received, and `Host`, which HTTPTypes stores separately. Several `cookie` fields are
    /// joined into one (RFC 9113 section 8.2.3).
    func signable(host: String?) -> [SignedRequest.Field] {
        var fields: [SignedRequest.Field] = []
        fields.reserveCapacity(count + 1)
        if let host { fields.append(SignedRequest.Field("Host", host)) }
        var cookie = self[.cookie]
        for field in self where field.name != Self.host {
            if field.name == .cookie {
                guard let crumbs = cookie.take() else { continue }
                fields.append(SignedRequest.Field(field.name.rawName, crumbs))
            } else {
                fields.append(SignedRequest.Field(field.name.rawName, field.value))
            }
        }
        return fields
    }

    private static let host = HTTPField.Name("Host")
}
