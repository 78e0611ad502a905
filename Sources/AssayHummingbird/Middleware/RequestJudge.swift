import Approov
import Assay
import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The result of judging a request.
struct Judgement {
    let outcome: ApproovOutcome
    /// The check of a streamed body; nil for every other.
    var body: StreamedBodyCheck?

    init(_ outcome: ApproovOutcome, body: StreamedBodyCheck? = nil) {
        self.outcome = outcome
        self.body = body
    }
}

/// Composes the evidence of a request, and judges it.
struct RequestJudge {
    let state: LiveVerifier.State
    let app: String
    let settings: Settings

    /// The options of a middleware, as one reference for every request.
    final class Settings: Sendable {
        let options: ApproovMiddlewareOptions

        init(_ options: ApproovMiddlewareOptions) { self.options = options }
    }

    private var options: ApproovMiddlewareOptions { settings.options }

    private static let contentDigest = HTTPField.Name("Content-Digest")
    private static let signature = HTTPField.Name("Signature")

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - request: the request. A body that was read is replaced by one with the same bytes.
    ///   - peer: the address of the connection's peer.
    ///   - enforces: whether rejected requests are refused.
    /// - Throws: errors of reading the body.
    func judge(_ request: inout Request, from peer: SocketAddress?, enforces: Bool) async throws -> Judgement {
        guard let app = state.app(app) else {
            return Judgement(
                .misconfigured(RequestError(.unknownApp, "the policy has no app \(self.app.excerpt) with approov")))
        }
        let address = options.proxy.address(of: request.headers, channel: peer)
        guard app.configuration.messageSigning != nil else {
            let input = ApproovTokenInput(
                .token(app.token(of: request.headers)), binding: app.binding(of: request.headers), address: address)
            return Judgement(
                await outcome { () async throws(VerificationError) in
                    try await state.verifier.verifyApproovToken(input, app: app.selector, at: options.now())
                })
        }
        return try await judgeMessage(&request, app, address, enforces: enforces)
    }

    private func judgeMessage(
        _ request: inout Request, _ app: GuardedApp, _ address: String?, enforces: Bool
    ) async throws -> Judgement {
        guard let origins = options.origins else {
            return Judgement(
                .misconfigured(RequestError(.noService, "the middleware has no origins for signed messages")))
        }
        let path = request.head.path ?? "/"
        guard ApproovOrigins.isTarget(path) else { return Judgement(.unjudged(.badTarget)) }
        let uri = origins.targetURI(path: path) { options.proxy.authority(of: request.head) }
        guard let uri else { return Judgement(.unjudged(.unknownHost)) }
        let message = Message(
            app: app.selector, method: request.method.rawValue, targetURI: uri, fields: Self.fields(of: request.head),
            address: address)
        // Without a signature the verdict does not depend on the body.
        guard Self.signature.map({ request.headers.contains($0) }) ?? false else {
            return Judgement(await judge(message, .bytes([])))
        }
        let length = Self.contentLength(of: request.headers)
        if let length, length > options.body.limit { return Judgement(.unjudged(.bodyTooLong)) }
        let isAnnounced = (length ?? 0) > 0 || request.headers.contains(.transferEncoding)
        if options.body.isStreamed, isAnnounced {
            return await judgeStreamed(&request, message, length, enforces: enforces)
        }
        return try await judgeCollected(&request, message, length)
    }

    private func judgeCollected(
        _ request: inout Request, _ message: Message, _ contentLength: Int?
    ) async throws -> Judgement {
        let values = Self.contentDigest.map { request.headers[values: $0] } ?? []
        let collected = try await CollectedBody.read(
            request.body, upTo: options.body.limit, CoveredDigests(namedIn: values))
        switch collected {
        case .tooLong(let body):
            request.body = body
            return Judgement(.unjudged(.bodyTooLong))
        case .whole(let whole, let digests):
            request.body = RequestBody(buffer: whole)
            // A broken connection looks like the end of the body.
            if let contentLength, contentLength != whole.readableBytes {
                return Judgement(.unjudged(.bodyLengthDiffers))
            }
            let body: ApproovMessageInput.Body =
                whole.readableBytes == 0
                ? .bytes([]) : .digests(sha256: digests.digest(.sha256), sha512: digests.digest(.sha512))
            return Judgement(await judge(message, body))
        }
    }

    private func judgeStreamed(
        _ request: inout Request, _ message: Message, _ contentLength: Int?, enforces: Bool
    ) async -> Judgement {
        let outcome = await judge(message, .unread)
        guard outcome.isAccepted, let facts = outcome.verdict?.approov?.message else { return Judgement(outcome) }
        let check = StreamedBodyCheck()
        let body = StreamedBody(
            base: request.body, expected: facts.contentDigests, contentLength: contentLength,
            limit: options.body.limit, enforces: enforces, check: check)
        request.body = RequestBody(asyncSequence: body)
        return Judgement(outcome, body: check)
    }

    /// The signed parts of a request, without its body.
    private struct Message {
        let app: String?
        let method: String
        let targetURI: String
        let fields: [ApproovMessageInput.Field]
        let address: String?
    }

    private func judge(_ message: Message, _ body: ApproovMessageInput.Body) async -> ApproovOutcome {
        let input = ApproovMessageInput(
            method: message.method, targetURI: message.targetURI, fields: message.fields, body: body,
            address: message.address)
        return await outcome { () async throws(VerificationError) in
            try await state.verifier.verifyApproovMessage(input, app: message.app, at: options.now())
        }
    }

    private func outcome(_ verify: () async throws(VerificationError) -> Verdict) async -> ApproovOutcome {
        do {
            return .verdict(try await verify())
        } catch {
            switch error {
            case .outage(let outage): return .outage(outage)
            case .request(let error): return .misconfigured(error)
            // Not thrown: there is no record.
            case .record(let error): return .misconfigured(RequestError(.unknownKind, error.description))
            }
        }
    }

    /// The fields in the order received. HTTPRequest has the first `Host`, in HTTP/2 `:authority`, apart from them.
    private static func fields(of head: HTTPRequest) -> [ApproovMessageInput.Field] {
        var fields: [ApproovMessageInput.Field] = []
        fields.reserveCapacity(head.headerFields.count + 1)
        if let authority = head.authority { fields.append(ApproovMessageInput.Field("Host", authority)) }
        for field in head.headerFields { fields.append(ApproovMessageInput.Field(field.name.rawName, field.value)) }
        return fields
    }

    /// The declared length; nil without one, or for a malformed one, which the server handled.
    private static func contentLength(of fields: HTTPFields) -> Int? {
        fields[.contentLength].flatMap { Int($0) }
    }
}
