import Assay
import AssayCore
import AssayHTTP
import AssayPrimitives
import HTTPTypes
import NIOCore

/// `/v1/authorize/{app}`: answers a gateway whether the request of its client may pass.
struct AuthorizeEndpoint: Sendable {
    /// The part of the path in front of the name.
    static let prefix = "/v1/authorize/"

    private let state: ServiceState
    private let configuration: ServiceConfiguration
    private let settings: RequestJudge.Settings

    /// - Throws: `OriginError` for malformed origins.
    init(state: ServiceState, configuration: ServiceConfiguration) throws(OriginError) {
        self.state = state
        self.configuration = configuration
        var options = EvidenceGuard.Options()
        let rules = configuration.authorize
        if !rules.origins.isEmpty { options.origins = try ServerOrigins(rules.origins) }
        options.body = .collected(upTo: configuration.limits.body)
        options.retryAfter = configuration.retryAfter
        settings = RequestJudge.Settings(options)
    }

    var endpoint: Endpoint {
        let fields = IdentityFields.names.map { #""\#($0)":{"required":true,"schema":{"type":"string"}}"# }
        return Endpoint(
            nil, Self.prefix, .all, "authorize",
            """
            Whether the request of a gateway's client may pass. Answers the peers of authorize.peers alone, in the dialect \
            \(configuration.authorize.dialect?.rawValue ?? ""); other methods are answered, too.
            """,
            parameters: [
                """
                {"name":"app","in":"path","required":true,"schema":{"type":"string","minLength":1},\
                "description":"An app or a route of the policy."}
                """
            ],
            answers: [
                200: #"{"description":"The request may pass.","headers":{\#(fields.joined(separator: ","))}}"#,
                401: .reference("responses/Denial"), 403: .reference("responses/Denial"),
            ], problems: [400, 404, 408, 413, 500]
        ) { (served) async throws(Problem) in try await authorize(&served) }
    }

    private func authorize(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        let rules = configuration.authorize
        let isUnix = configuration.listen.path != nil
        let peer = served.request.peer
        let isTrusted = peer.isTrusted { address in
            rules.peers.contains { $0.contain(address, isUnix: isUnix) }
        }
        guard isTrusted else {
            let address = peer.address?.ipAddress.map {
                state.verifier.policy.addresses.text(of: $0) ?? "(withheld address)"
            }
            throw Problem(
                .forbidden, .peerNotTrusted,
                "the peer \(address ?? "(unix socket)") is not in authorize.peers; only those may use forward auth")
        }
        let below = served.request.head.target.utf8.dropFirst(Self.prefix.utf8.count)
        let end = below.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? below.endIndex
        let (name, rest) = (String(Substring(below[..<end])), Substring(below[end...]))
        // Caddy adds the query of its client.
        guard rules.dialect == .envoy || rest.isEmpty || rest.first == "?" else {
            throw Problem(
                .notFound, .notFound,
                "the path ends with the name of an app or a route, found \(rest.description.excerpt)")
        }
        let source = try ForwardedRequest(served.request.head, rest: rest, rules)
        served.note.client = (source.method, source.host.text, source.target)
        try requireKnownHost(source)
        try Self.requireNoTunnel(source)
        let requests = state.requests.state
        let route: GuardedRoute
        do throws(RequestError) { route = try requests.route(named: name) } catch {
            throw Problem(.internalServerError, ProblemCode(error), error.message)
        }
        var body: [UInt8] = []
        if case .attached = source.body {
            let limits = configuration.limits
            body = try await served.wholeBody(upTo: limits.body, within: limits.bodyTime)
        }
        let decision = await RequestJudge(state: requests, settings: settings)
            .decide(source, .bytes(body), on: route, account: nil)
        served.note.decision = decision
        served.note.route = name
        return answer(decision, on: route)
    }

    /// Refuses a request whose host is missing or not in `authorize.origins`: a backend with several hosts could handle
    /// it as a request to another host.
    private func requireKnownHost(_ source: ForwardedRequest) throws(Problem) {
        guard let origins = settings.options.origins else { return }
        switch source.host {
        case .known(let host):
            guard !origins.contain(host) else { return }
            throw Problem(
                .forbidden, .unknownHost,
                "the client addressed \(host.excerpt), which is none of authorize.origins: "
                    + configuration.authorize.origins.joined(separator: ", "))
        case .unstated:
            throw Problem(
                .badRequest, .badForwarding,
                "the gateway does not state the host that its client addressed, or the client named none; see Docs/gateways.md"
            )
        case .malformed:
            throw Problem(
                .forbidden, .unknownHost, "the client addressed something else than a host with an optional port")
        }
    }

    /// Refuses a request after which the connection to the backend would carry bytes of the client that nothing verifies. Gateways
    /// as in `Examples/gateways` remove `Upgrade`, or refuse the request themselves.
    private static func requireNoTunnel(_ source: ForwardedRequest) throws(Problem) {
        let isConnect = source.method == HTTPRequest.Method.connect.rawValue
        guard isConnect || source.fields.hold(.upgrade) else { return }
        throw Problem(
            .forbidden, .tunnelRequested,
            "the gateway passes on \(isConnect ? "CONNECT" : "the field Upgrade") of its client; what follows would reach the "
                + "backend unverified: let the gateway refuse CONNECT and WebSockets, and remove Upgrade; see Docs/gateways.md"
        )
    }

    private func answer(_ decision: RequestDecision, on route: GuardedRoute) -> Response {
        guard settings.options.refuses(decision) else {
            return Response(status: .ok, headers: IdentityFields.of(decision, on: route, configuration.authorize))
        }
        let refusal = Refusal(decision, settings.options)
        var response = Response(
            status: refusal.status, headers: refusal.fields, body: .whole(ByteBuffer(bytes: refusal.body)))
        switch decision.outcome {
        case .outage:
            response.status =
                switch configuration.authorize.outageStatus {
                case .unauthorized: .unauthorized
                case .forbidden: .forbidden
                case .unavailable: .serviceUnavailable
                }
            if response.status == .unauthorized { response.headers[.wwwAuthenticate] = "Assay" }
        // Gateways know no other refusal.
        case .unjudged: response.status = .forbidden
        case .verdict, .misconfigured, .pending, .off: break
        }
        return response
    }
}

/// The fields of an answer that lets a request pass: each exactly once, and empty if unknown, so that gateways replace those that a
/// client has written.
enum IdentityFields {
    /// The names, in the order of the documentation.
    static let names = [
        "Assay-Outcome", "Assay-App", "Assay-Kind", "Assay-Subject", "Assay-Account", "Assay-Annotated",
        "Assay-Verdict",
        "Assay-Content-Digest",
    ]
    private static let fieldNames = names.map { HTTPField.Name($0) ?? .date }

    /// - Parameter route: gives each verdict its place.
    static func of(
        _ decision: RequestDecision, on route: GuardedRoute, _ rules: AuthorizationRules
    ) -> HTTPFields {
        var fields: HTTPFields = [.cacheControl: "no-store"]
        fields.reserveCapacity(names.count + 2)
        let isAccepted = decision.isAccepted
        let verdicts = decision.verdicts
        // A rejected request that passes has no identity.
        let places: [Verdict?] = isAccepted ? route.places(of: verdicts) : []
        let subjects = places.map { $0?.engineSubject }
        var digests: Set<String> = []
        for subject in subjects {
            for digest in subject?.message?.contentDigests ?? [] {
                digests.insert("\(digest.algorithm)=:\(Base64.encode(digest.value, .standard)):")
            }
        }
        let values = [
            decision.word,
            isAccepted ? list(places.map { $0?.app ?? "" }) : list([decision.app]),
            isAccepted ? list(places.map { $0?.kind.name ?? "" }) : decision.kind.name,
            list(subjects.map { $0?.identifier ?? "" }),
            list(subjects.map { $0?.account ?? "" }),
            list(verdicts.flatMap(\.annotated).map(\.name)),
            rules.sendsVerdict
                ? verdicts.map { Base64.encode($0.jsonBytes(id: nil), .url) }.joined(separator: ", ") : "",
            digests.sorted().joined(separator: ", "),
        ]
        // Appended, because the subscript would first search for a field of that name.
        for (name, value) in zip(fieldNames, values) { fields.append(HTTPField(name: name, value: value)) }
        return fields
    }

    /// Joins values in the order of the verdicts. Each value is percent-encoded to visible ASCII without commas. An
    /// empty value is `-`. If all values are empty, the result is empty.
    private static func list(_ values: [String]) -> String {
        if values.count == 1 { return values[0] == "-" ? "%2D" : encoded(values[0]) }
        guard !values.allSatisfy(\.isEmpty) else { return "" }
        return values.map { $0.isEmpty ? "-" : $0 == "-" ? "%2D" : encoded($0) }.joined(separator: ", ")
    }

    /// The text, with `%`, commas, spaces and bytes outside visible ASCII percent-encoded (RFC 3986 section 2.1).
    private static func encoded(_ text: String) -> String {
        guard text.utf8.contains(where: isEncoded) else { return text }
        var encoded = ""
        for byte in text.utf8 {
            if isEncoded(byte) {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            } else {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return encoded
    }

    private static func isEncoded(_ byte: UInt8) -> Bool {
        !(0x21...0x7E).contains(byte) || byte == UInt8(ascii: "%") || byte == UInt8(ascii: ",")
    }
}
