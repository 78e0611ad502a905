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
    init(_ head: RequestHead, rest: Substring, _ rules: AuthorizationRules) throws(Problem) {
        let stated = StatedFields(head.headers, rules.dialect)
        switch rules.dialect {
        case .nginx, .haproxy, .caddy, .traefik:
            method = try stated.one(.method)
            target = try stated.one(.target)
            host = RequestHost(stated: try stated.atMostOne(.host))
            let isList = rules.dialect == .caddy || rules.dialect == .traefik
            address = isList ? stated.last(.address)?.lastElement : try stated.atMostOne(.address)
        case .envoy, nil:
            method = head.method.rawValue
            target = String(rest)
            host = RequestHost(stated: try Self.ownHost(of: head))
            address = head.headers[values: .forwardedFor].last?.lastElement
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
            guard stated.isFalse(.partialBody) else {
                throw Problem(
                    .contentTooLarge, .partialBody,
                    "the gateway sent the beginning of a body; let it refuse longer ones (allow_partial_message: false)"
                )
            }
            body = .attached
        case .withheld:
            body = try Self.withheldBody(head, stated, rules.dialect)
        }
        fields = stated.others
    }

    /// Where the body is, if the gateway does not send it. Envoy and Traefik pass a client's `X-Original-Body` on, so that it counts
    /// for nothing there.
    private static func withheldBody(
        _ head: RequestHead, _ stated: StatedFields, _ dialect: AuthorizationRules.Dialect?
    ) throws(Problem) -> RequestBodyPlace {
        guard let dialect, !dialect.canForwardBodies else { return .unseen }
        guard let place = try stated.atMostOne(.body) else { return .unseen }
        guard place == "none" else { throw malformed("X-Original-Body", place) }
        guard !head.headers.announceBody else {
            throw Problem(
                .badRequest, .badForwarding,
                "the gateway states X-Original-Body: none, and sends a body; see Docs/gateways.md")
        }
        return .none
    }

    /// The host of the request itself; nil without one.
    private static func ownHost(of head: RequestHead) throws(Problem) -> String? {
        var hosts = head.headers[values: .hostField]
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
}

/// The fields in which a gateway states what its client sent, and the client's own: both from one look at each field.
private struct StatedFields {
    /// What a field states.
    enum Part: Int {
        case body, partialBody, method, target, host, address
    }

    private static let common: [HTTPField.Name] = [.originalBody, .envoyPartialBody]
    private static let original = common + [.originalMethod, .originalURI, .originalHost, .realIP]
    private static let forwarded = common + [.forwardedMethod, .forwardedURI, .forwardedHost, .forwardedFor]

    /// The names of the parts.
    private let names: [HTTPField.Name]
    /// How many fields state each part, and the value of the last one.
    private var found: [(count: Int, value: String)]
    /// The fields that a gateway has not written.
    private(set) var others = HTTPFields()

    init(_ received: HTTPFields, _ dialect: AuthorizationRules.Dialect?) {
        names =
            switch dialect {
            case .nginx, .haproxy: Self.original
            case .caddy, .traefik: Self.forwarded
            case .envoy, nil: Self.common
            }
        found = Array(repeating: (0, ""), count: names.count)
        others.reserveCapacity(received.count)
        for index in received.indices {
            let name = received[index].name.canonicalName
            if let part = names.indices.first(where: { names[$0].canonicalName.isByteEqual(to: name) }) {
                found[part] = (found[part].count + 1, received[index].value)
            } else {
                others.append(received[index])
            }
        }
    }

    /// The value of a field that stands exactly once, and is not empty.
    func one(_ part: Part) throws(Problem) -> String {
        guard let value = try atMostOne(part) else {
            throw Problem(
                .badRequest, .badForwarding,
                "the request has no field \(names[part.rawValue].rawName), in which the gateway states what its client sent; see Docs/gateways.md"
            )
        }
        return value
    }

    /// The value of a field that stands at most once; nil without it, and if it is empty.
    func atMostOne(_ part: Part) throws(Problem) -> String? {
        let (count, value) = found[part.rawValue]
        guard count <= 1 else { throw ForwardedRequest.repeated(names[part.rawValue]) }
        return value.isEmpty ? nil : value
    }

    /// The value of the last field of a part; nil without one.
    func last(_ part: Part) -> String? { found[part.rawValue].count > 0 ? found[part.rawValue].value : nil }

    /// Whether a field is missing, or stands once and says `false`.
    func isFalse(_ part: Part) -> Bool {
        let (count, value) = found[part.rawValue]
        return count == 0 || count == 1 && value == "false"
    }
}

extension HTTPFields {
    /// Whether they announce a body.
    fileprivate var announceBody: Bool {
        hold(.transferEncoding)
            || indices.contains {
                self[$0].name.canonicalName.isByteEqual(to: "content-length") && self[$0].value != "0"
            }
    }
}

extension String {
    /// The last element of a list, which the nearest proxy wrote; nil without one.
    fileprivate var lastElement: String? {
        let last = split(separator: ",").last?.trimmingPrefix { $0 == " " } ?? ""
        return last.isEmpty ? nil : String(last)
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
