import AssayCore
import AssayHTTP
import AssayPrimitives
import HTTPTypes

/// The request of a client, as a gateway states it.
struct ForwardedRequest: RequestSource {
    let method: String
    let target: String
    /// The fields that the gateway has not written; empty until ``readFields()``.
    private(set) var fields = HTTPFields()
    let host: RequestHost
    let address: String?
    let body: RequestBodyPlace
    private let head: RequestHead
    private let dialect: AuthorizationRules.Dialect?

    /// The gateway sends what its client addressed as the host.
    var authority: String? { host.text }

    /// Reads a request in the dialect of a gateway.
    ///
    /// - Parameter rest: what follows the prefix in the target of the gateway's request, with the query.
    /// - Throws: ``Problem`` with 400 when a field of the dialect is missing, repeated or malformed: the gateway is not configured as
    ///   `Docs/gateways.md` says, or a client has written the field.
    init(_ head: RequestHead, rest: Substring, _ rules: AuthorizationRules) throws(Problem) {
        let stated = StatedFields(head, rules.dialect)
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
            address = head.values(.forwardedFor).last?.lastElement
        }
        guard HTTPRequest.Method(method) != nil else { throw Self.malformed("the method", method) }
        if let address, !IPAddress.isAddress(address) {
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
        (self.head, dialect) = (head, rules.dialect)
    }

    /// Reads all fields that the gateway has not written.
    mutating func readFields() {
        let others = head.fields.lazy.filter { [dialect] in StatedFields.Part($0.name.known, dialect) == nil }
        fields = HTTPFields(others.map { HTTPField(name: $0.name.name, value: $0.value) })
    }

    /// The value of a field that the gateway has not written, as ``readFields()`` would have it.
    func value(_ name: HTTPField.Name) -> RequestFieldValue {
        let isCookie = name.canonicalName.isByteEqual(to: "cookie")
        var found: String?
        for index in head.fields.indices {
            let field = head.fields[index].name
            guard field.name.canonicalName.isByteEqual(to: name.canonicalName),
                StatedFields.Part(field.known, dialect) == nil
            else { continue }
            let value = head.fields[index].value
            // The parts of a cookie are one value (RFC 9113 section 8.2.3).
            guard found == nil || isCookie else { return .repeated }
            found = found.map { $0 + "; " + value } ?? value
        }
        return found.map { .value($0) } ?? .missing
    }

    /// Where the body is, if the gateway does not send it. Envoy and Traefik pass a client's `X-Original-Body` on, so that it counts
    /// for nothing there.
    private static func withheldBody(
        _ head: RequestHead, _ stated: StatedFields, _ dialect: AuthorizationRules.Dialect?
    ) throws(Problem) -> RequestBodyPlace {
        guard let dialect, !dialect.canForwardBodies else { return .unseen }
        guard let place = try stated.atMostOne(.body) else { return .unseen }
        guard place == "none" else { throw malformed("X-Original-Body", place) }
        guard !head.announcesBody else {
            throw Problem(
                .badRequest, .badForwarding,
                "the gateway states X-Original-Body: none, and sends a body; see Docs/gateways.md")
        }
        return .none
    }

    /// The host of the request itself; nil without one.
    private static func ownHost(of head: RequestHead) throws(Problem) -> String? {
        var hosts = head.values(.host)
        if let authority = head.authority { hosts.append(authority) }
        guard hosts.count <= 1 else { throw repeated(KnownField.host.text) }
        return hosts.first
    }

    private static func malformed(_ what: String, _ found: String) -> Problem {
        Problem(.badRequest, .badForwarding, "the gateway states \(what) as \"\(found.excerpt)\"")
    }

    fileprivate static func repeated(_ name: String) -> Problem {
        Problem(
            .badRequest, .badForwarding, "the request has the field \(name) several times, allowed is one")
    }
}

/// The fields in which a gateway states what its client sent.
private struct StatedFields {
    /// What a field states.
    enum Part: Int {
        case body, partialBody, method, target, host, address

        init?(_ name: KnownField, _ dialect: AuthorizationRules.Dialect?) {
            switch (name, dialect) {
            case (.originalBody, _): self = .body
            case (.envoyPartialBody, _): self = .partialBody
            case (.originalMethod, .nginx?), (.originalMethod, .haproxy?): self = .method
            case (.originalURI, .nginx?), (.originalURI, .haproxy?): self = .target
            case (.originalHost, .nginx?), (.originalHost, .haproxy?): self = .host
            case (.realIP, .nginx?), (.realIP, .haproxy?): self = .address
            case (.forwardedMethod, .caddy?), (.forwardedMethod, .traefik?): self = .method
            case (.forwardedURI, .caddy?), (.forwardedURI, .traefik?): self = .target
            case (.forwardedHost, .caddy?), (.forwardedHost, .traefik?): self = .host
            case (.forwardedFor, .caddy?), (.forwardedFor, .traefik?): self = .address
            default: return nil
            }
        }

        /// The name of the field.
        func name(_ dialect: AuthorizationRules.Dialect?) -> String {
            KnownField.allCases.first { Part($0, dialect) == self }?.text ?? ""
        }
    }

    private let head: RequestHead
    private let dialect: AuthorizationRules.Dialect?
    /// How many fields state each part, and the place of the last one.
    private var (counts, last) = (SIMD8<Int32>(), SIMD8<Int32>())

    init(_ head: RequestHead, _ dialect: AuthorizationRules.Dialect?) {
        (self.head, self.dialect) = (head, dialect)
        for index in head.fields.indices {
            guard let part = Part(head.fields[index].name.known, dialect) else { continue }
            counts[part.rawValue] += 1
            last[part.rawValue] = Int32(truncatingIfNeeded: index)
        }
    }

    private func value(_ part: Part) -> String { head.fields[Int(last[part.rawValue])].value }

    /// The value of a field that stands exactly once, and is not empty.
    func one(_ part: Part) throws(Problem) -> String {
        guard let value = try atMostOne(part) else {
            throw Problem(
                .badRequest, .badForwarding,
                "the request has no field \(part.name(dialect)), in which the gateway states what its client sent; see Docs/gateways.md"
            )
        }
        return value
    }

    /// The value of a field that stands at most once; nil without it, and if it is empty.
    func atMostOne(_ part: Part) throws(Problem) -> String? {
        switch counts[part.rawValue] {
        case 0: return nil
        case 1:
            let value = value(part)
            return value.isEmpty ? nil : value
        default: throw ForwardedRequest.repeated(part.name(dialect))
        }
    }

    /// The value of the last field of a part; nil without one.
    func last(_ part: Part) -> String? { counts[part.rawValue] > 0 ? value(part) : nil }

    /// Whether a field is missing, or stands once and says `false`.
    func isFalse(_ part: Part) -> Bool {
        counts[part.rawValue] == 0 || counts[part.rawValue] == 1 && value(part) == "false"
    }
}

extension RequestHead {
    /// Whether its fields announce a body.
    fileprivate var announcesBody: Bool {
        hasField(.transferEncoding) || values(.contentLength).contains { $0 != "0" }
    }
}

extension String {
    /// The last element of a list, which the nearest proxy wrote; nil without one.
    fileprivate var lastElement: String? {
        let last = split(separator: ",").last?.trimmingPrefix { $0 == " " } ?? ""
        return last.isEmpty ? nil : String(last)
    }
}
