import Assay
import AssayCore
import AssayHTTP
import AssayPrimitives
import HTTPTypes
import NIOCore

/// `/v1/authorize/{app}`: answers a gateway whether the request of its client may pass. A class, so that closures copy one reference.
final class AuthorizeEndpoint: Sendable {
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
        options.capture = state.capture
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
            ], problems: [400, 404, 408, 413, 500],
            atOnce: { [self] (served) throws(Problem) in try authorizeAtOnce(&served) }
        ) { [self] (served) async throws(Problem) in try await authorize(&served) }
    }

    /// What a gateway asks.
    private struct Question {
        var source: ForwardedRequest
        let requests: ReloadableVerifier.State
        /// The name in the path, and what it names.
        let name: String
        let route: GuardedRoute
    }

    private func authorize(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        var question = try question(&served)
        question.source.readFields()
        var body: [UInt8] = []
        if case .attached = question.source.body {
            let limits = configuration.limits
            body = try await served.wholeBody(upTo: limits.body, within: limits.bodyTime)
        }
        let decision = await RequestJudge(state: question.requests, settings: settings)
            .decide(question.source, .bytes(body), on: question.route, account: nil)
        return answer(decision, question, &served)
    }

    /// Answers without waiting; nil if the body has to be read, or the verification may have to wait.
    private func authorizeAtOnce(_ served: inout ServiceRequest) throws(Problem) -> Response? {
        let question = try question(&served)
        if case .attached = question.source.body { return nil }
        let decision = RequestJudge(state: question.requests, settings: settings)
            .decideAtOnce(on: question.route, address: question.source.address, account: nil) {
                question.source.value($0)
            }
        return decision.map { answer($0, question, &served) }
    }

    private func question(_ served: inout ServiceRequest) throws(Problem) -> Question {
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
        try Self.requireNoTunnel(source, served.request.head)
        let requests = state.requests.state
        let route: GuardedRoute
        do throws(RequestError) { route = try requests.route(named: name) } catch {
            throw Problem(.internalServerError, ProblemCode(error), error.message)
        }
        return Question(source: source, requests: requests, name: name, route: route)
    }

    private func answer(
        _ decision: RequestDecision, _ question: Question, _ served: inout ServiceRequest
    ) -> Response {
        state.recent.add(decision, recentSource(served.id, question.name, question.source.address, decision))
        served.note.decision = decision
        served.note.route = question.name
        return answer(decision, on: question.route)
    }

    private func recentSource(
        _ request: RequestID, _ route: String, _ address: String?, _ decision: RequestDecision
    ) -> RecentSource {
        var recent = RecentSource(.authorize, request)
        (recent.route, recent.app, recent.kind) = (route, decision.app, decision.kind.name)
        recent.address = address.flatMap { state.verifier.policy.addresses.text(of: $0) }
        return recent
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
    private static func requireNoTunnel(_ source: ForwardedRequest, _ head: RequestHead) throws(Problem) {
        let isConnect = source.method == HTTPRequest.Method.connect.rawValue
        guard isConnect || head.hasField(.upgrade) else { return }
        throw Problem(
            .forbidden, .tunnelRequested,
            "the gateway passes on \(isConnect ? "CONNECT" : "the field Upgrade") of its client; what follows would reach the "
                + "backend unverified: let the gateway refuse CONNECT and WebSockets, and remove Upgrade; see Docs/gateways.md"
        )
    }

    private func answer(_ decision: RequestDecision, on route: GuardedRoute) -> Response {
        guard settings.options.refuses(decision) else {
            return Response(status: .ok, lines: IdentityFields.of(decision, on: route, configuration.authorize))
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
    // Each is the end of the line in front, and the beginning of its own.
    private static let outcome: StaticString = "Cache-Control: no-store\r\nAssay-Outcome: "
    private static let app: StaticString = "\r\nAssay-App: "
    private static let kind: StaticString = "\r\nAssay-Kind: "
    private static let subject: StaticString = "\r\nAssay-Subject: "
    private static let account: StaticString = "\r\nAssay-Account: "
    private static let annotated: StaticString = "\r\nAssay-Annotated: "
    private static let verdict: StaticString = "\r\nAssay-Verdict: "
    private static let digest: StaticString = "\r\nAssay-Content-Digest: "

    /// The names, in the order of the documentation.
    static let names = [outcome, app, kind, subject, account, annotated, verdict, digest].map {
        $0.description.split(separator: "\r\n").last?.dropLast(2).description ?? ""
    }

    /// The lines of the head.
    ///
    /// - Parameter route: gives each verdict its place.
    static func of(_ decision: RequestDecision, on route: GuardedRoute, _ rules: AuthorizationRules) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(384)
        let isAccepted = decision.isAccepted
        let verdicts = decision.verdicts
        // A rejected request that passes has no identity.
        let places = isAccepted ? route.places(of: verdicts) : []
        let subjects = places.map { $0.flatMap { verdicts[$0].engineSubject } }
        lines.append(outcome)
        lines.append(text: decision.word)
        if isAccepted {
            append(app, places.count, to: &lines) { places[$0].flatMap { verdicts[$0].app } }
            append(kind, places.count, to: &lines) { places[$0].map { verdicts[$0].kind.name } }
        } else {
            append(app, 1, to: &lines) { _ in decision.app }
            lines.append(kind)
            lines.append(text: decision.kind.name)
        }
        append(subject, subjects.count, to: &lines) { subjects[$0]?.identifier }
        append(account, subjects.count, to: &lines) { subjects[$0]?.account }
        let names = annotations(verdicts)
        append(annotated, names.count, to: &lines) { names[$0] }
        lines.append(verdict)
        if rules.sendsVerdict {
            lines.append(text: verdicts.map { Base64.encode($0.jsonBytes(id: nil), .url) }.joined(separator: ", "))
        }
        lines.append(digest)
        lines.append(text: digests(subjects))
        lines.append("\r\n")
        return lines
    }

    private static func annotations(_ verdicts: [Verdict]) -> [String] {
        var names: [String] = []
        for verdict in verdicts {
            let checks = verdict.checks
            for index in checks.indices where checks[index].status == .annotated {
                names.append(checks[index].check.name)
            }
        }
        return names
    }

    private static func digests(_ subjects: [(any EngineSubject)?]) -> String {
        var digests: Set<String> = []
        for subject in subjects {
            guard let message = subject?.message else { continue }
            for digest in message.contentDigests {
                digests.insert("\(digest.algorithm)=:\(Base64.encode(digest.value, .standard)):")
            }
        }
        return digests.isEmpty ? "" : digests.sorted().joined(separator: ", ")
    }

    /// Appends a field with a list of values in the order of the verdicts. Each value is percent-encoded to visible ASCII without
    /// commas. An empty value is `-`, and nil is empty. If all values are empty, so is the field.
    private static func append(
        _ name: StaticString, _ count: Int, to lines: inout [UInt8], _ value: (Int) -> String?
    ) {
        lines.append(name)
        let start = lines.count
        var isEmpty = true
        for index in 0..<count {
            if index > 0 { lines.append(", ") }
            let text = value(index) ?? ""
            if text.isEmpty, count > 1 {
                lines.append("-")
            } else if text.isByteEqual(to: "-") {
                lines.append("%2D")
            } else {
                append(encoded: text, to: &lines)
            }
            isEmpty = isEmpty && text.isEmpty
        }
        if isEmpty { lines.removeSubrange(start...) }
    }

    /// Appends a text, with `%`, commas, spaces and bytes outside visible ASCII percent-encoded (RFC 3986 section 2.1).
    private static func append(encoded text: String, to lines: inout [UInt8]) {
        func isPlain(_ byte: UInt8) -> Bool {
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%") && byte != UInt8(ascii: ",")
        }
        // Most texts are copied as they are.
        if text.utf8.withContiguousStorageIfAvailable({ $0.allSatisfy(isPlain) }) ?? false {
            return lines.append(text: text)
        }
        for byte in text.utf8 {
            if isPlain(byte) {
                lines.append(byte)
            } else {
                lines.append("%")
                lines.append(text: (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true))
            }
        }
    }
}
