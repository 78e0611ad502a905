import AssayCore
import AssayHTTP
import AssayPrimitives
import HTTPTypes

/// The request of a client, as a gateway states it.
struct ForwardedRequest: RequestSource {
    let method: String
    let target: String
    let fields: HTTPFields
    let host: RequestHost
    let address: String?
    let body: RequestBodyPlace

    /// The gateway sends what its client addressed as the host.
    var authority: String? { host.text }

    /// Reads a request in the dialect of a gateway.
    ///
    /// - Parameter rest: what follows the prefix in the target of the gateway's request, with the query.
    /// - Throws: ``Problem`` with 400 when a field of the dialect is missing, repeated or malformed: the gateway is not configured as
    ///   `Docs/gateways.md` says, or a client has written the field.
    init(_ head: HTTPRequest, rest: Substring, _ rules: AuthorizationRules) throws(Problem) {
        let received = head.headerFields
        let names: DialectFields
        switch rules.dialect {
        case .nginx, .haproxy:
            names = .original
            method = try received.one(.originalMethod)
            target = try received.one(.originalURI)
            host = RequestHost(stated: try received.atMostOne(.originalHost))
            address = try received.atMostOne(.realIP)
        case .caddy, .traefik:
            names = .forwarded
            method = try received.one(.forwardedMethod)
            target = try received.one(.forwardedURI)
            host = RequestHost(stated: try received.atMostOne(.forwardedHost))
            address = received.last(.forwardedFor)
        case .envoy, nil:
            names = .none
            method = head.method.rawValue
            target = String(rest)
            host = RequestHost(stated: try Self.ownHost(of: head))
            address = received.last(.forwardedFor)
        }
        guard HTTPRequest.Method(method) != nil else { throw Self.malformed("the method", method) }
        if let address, IPAddress(address) == nil {
            // Not its text, which the policy may keep out of logs.
            throw Problem(
                .badRequest, .badForwarding,
                "the gateway states as the client's address something else than an IPv4 or IPv6 address, such as one with a port"
            )
        }
        switch rules.bodies {
        case .forwarded:
            guard ["false", nil].contains(received[.envoyPartialBody]) else {
                throw Problem(
                    .contentTooLarge, .partialBody,
                    "the gateway sent the beginning of a body; let it refuse longer ones (allow_partial_message: false)"
                )
            }
            body = .attached
        case .withheld:
            body = try Self.withheldBody(head, rules.dialect)
        }
        var fields = HTTPFields()
        fields.reserveCapacity(received.count)
        for field in received where !names.names.contains(field.name) { fields.append(field) }
        self.fields = fields
    }

    /// Where the body is, if the gateway does not send it. Envoy and Traefik pass a client's `X-Original-Body` on, so that it counts
    /// for nothing there.
    private static func withheldBody(
        _ head: HTTPRequest, _ dialect: AuthorizationRules.Dialect?
    ) throws(Problem) -> RequestBodyPlace {
        guard let dialect, !dialect.canForwardBodies else { return .unseen }
        guard let place = try head.headerFields.atMostOne(.originalBody) else { return .unseen }
        guard place == "none" else { throw malformed("X-Original-Body", place) }
        guard !head.hasBody else {
            throw Problem(
                .badRequest, .badForwarding,
                "the gateway states X-Original-Body: none, and sends a body; see Docs/gateways.md")
        }
        return .none
    }

    /// The host of the request itself; nil without one.
    private static func ownHost(of head: HTTPRequest) throws(Problem) -> String? {
        var hosts = head.headerFields[values: .hostField]
        if let authority = head.authority { hosts.append(authority) }
        guard hosts.count <= 1 else { throw repeated(.hostField) }
        return hosts.first
    }

    private static func malformed(_ what: String, _ found: String) -> Problem {
        Problem(.badRequest, .badForwarding, "the gateway states \(what) as \"\(found.excerpt)\"")
    }

    fileprivate static func repeated(_ name: HTTPField.Name) -> Problem {
        Problem(
            .badRequest, .badForwarding, "the request has the field \(name.rawName) several times, allowed is one")
    }

    /// The fields that a gateway writes.
    private struct DialectFields {
        let names: Set<HTTPField.Name>

        static let common: Set<HTTPField.Name> = [.originalBody, .envoyPartialBody]
        static let none = DialectFields(names: common)
        static let original = DialectFields(
            names: common.union([.originalMethod, .originalURI, .originalHost, .realIP]))
        static let forwarded = DialectFields(
            names: common.union([.forwardedMethod, .forwardedURI, .forwardedHost, .forwardedFor]))
    }
}

extension HTTPRequest {
    /// Whether the head announces a body.
    fileprivate var hasBody: Bool {
        headerFields.contains(.transferEncoding) || headerFields[values: .contentLength].contains { $0 != "0" }
    }
}

extension HTTPFields {
    /// The value of a field that stands exactly once, and is not empty.
    fileprivate func one(_ name: HTTPField.Name) throws(Problem) -> String {
        guard let value = try atMostOne(name), !value.isEmpty else {
            throw Problem(
                .badRequest, .badForwarding,
                "the request has no field \(name.rawName), in which the gateway states what its client sent; see Docs/gateways.md"
            )
        }
        return value
    }

    /// The value of a field that stands at most once; nil without it, and if it is empty.
    fileprivate func atMostOne(_ name: HTTPField.Name) throws(Problem) -> String? {
        let values = self[values: name]
        guard values.count <= 1 else { throw ForwardedRequest.repeated(name) }
        return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The last element of a list, which the nearest proxy wrote; nil without one.
    fileprivate func last(_ name: HTTPField.Name) -> String? {
        let last = self[values: name].last?.split(separator: ",").last
        let text = last.map { $0.trimmingPrefix(while: { $0 == " " }) }.map(String.init) ?? ""
        return text.isEmpty ? nil : text
    }
}

extension HTTPField.Name {
    private static func named(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .date }

    fileprivate static let originalMethod = named("X-Original-Method")
    fileprivate static let originalURI = named("X-Original-URI")
    fileprivate static let originalHost = named("X-Original-Host")
    fileprivate static let originalBody = named("X-Original-Body")
    fileprivate static let realIP = named("X-Real-IP")
    fileprivate static let forwardedMethod = named("X-Forwarded-Method")
    fileprivate static let forwardedURI = named("X-Forwarded-Uri")
    fileprivate static let forwardedHost = named("X-Forwarded-Host")
    fileprivate static let forwardedFor = named("X-Forwarded-For")
    fileprivate static let envoyPartialBody = named("X-Envoy-Auth-Partial-Body")
    static let hostField = named("Host")
}
