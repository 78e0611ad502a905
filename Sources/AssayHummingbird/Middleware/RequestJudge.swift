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
    /// The outcome and the reader of a streamed body; nil for every other.
    var streamed: (outcome: StreamedOutcome, reader: StreamedBodyReader)?

    init(_ outcome: ApproovOutcome) { self.outcome = outcome }
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

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - request: the request. A body that was read is replaced by one with the same bytes.
    ///   - peer: the address of the connection's peer.
    ///   - account: the account of the session.
    ///   - enforces: whether rejected requests are refused.
    /// - Throws: errors of reading the body.
    func judge(
        _ request: inout Request, from peer: SocketAddress?, account: String?, enforces: Bool
    ) async throws -> Judgement {
        guard let app = state.app(app) else {
            return Judgement(
                .misconfigured(RequestError(.unknownApp, "the policy has no app \(self.app.excerpt) with approov")))
        }
        let address = options.proxy.address(of: request.headers, channel: peer)
        guard app.configuration.messageSigning != nil else {
            let input = ApproovTokenInput(
                .token(app.token(of: request.headers)), binding: app.binding(of: request.headers), address: address)
            do throws(VerificationError) {
                return Judgement(
                    .verdict(
                        try await state.verifier.verifyApproovToken(
                            input, app: app.selector, account: account, at: options.now())))
            } catch { return Judgement(Self.outcome(of: error)) }
        }
        return try await judgeMessage(&request, app, address, account, enforces: enforces)
    }

    private func judgeMessage(
        _ request: inout Request, _ app: GuardedApp, _ address: String?, _ account: String?,
        enforces: Bool
    ) async throws -> Judgement {
        guard let origins = options.origins else {
            return Judgement(
                .misconfigured(RequestError(.noService, "the middleware has no origins for signed messages")))
        }
        let path = request.head.path ?? ""
        guard ApproovOrigins.isTarget(path) else { return Judgement(.unjudged(.badTarget)) }
        guard let host = ApproovProxy.host(of: request.head) else { return Judgement(.unjudged(.badHost)) }
        let uri = origins.targetURI(path: path) { options.proxy.authority(of: request.head, host: host) }
        guard let uri else { return Judgement(.unjudged(.unknownHost)) }
        let message = Message(
            app: app.selector, method: request.method.rawValue, targetURI: uri, fields: Self.fields(of: request.head),
            address: address, account: account, arrival: options.now())
        let length = Self.contentLength(of: request.headers)
        let isStreamed =
            options.body.isStreamed && ((length ?? 0) > 0 || request.headers.contains(.transferEncoding))
        let isPresent = isStreamed || (length ?? 0) > 0
        let head: Assessment
        do throws(VerificationError) {
            head = try await assess(message, isPresent ? .unread : .bytes([]))
        } catch { return Judgement(Self.outcome(of: error)) }
        // A body of unknown length is assumed to be empty, and assessed again if it is not.
        let needsBody = !isPresent && head.failed == [ApproovCheck.contentDigest]
        guard head.isAcceptable || needsBody else { return Judgement(await conclude(head)) }
        if let length, length > options.body.limit { return Judgement(.unjudged(.bodyTooLong)) }
        let digests = CoveredDigests(
            namedIn: Self.contentDigest.map { request.headers[values: $0] } ?? [])
        if isStreamed { return judgeStreamed(&request, message, head, length, digests, enforces: enforces) }
        return try await judgeCollected(&request, message, head, length, digests)
    }

    private func judgeCollected(
        _ request: inout Request, _ message: Message, _ head: Assessment, _ contentLength: Int?,
        _ digests: CoveredDigests
    ) async throws -> Judgement {
        let collected = try await CollectedBody.read(
            request.body, length: contentLength, upTo: options.body.collectedLimit, digests)
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
            return Judgement(
                whole.readableBytes == 0 ? await conclude(head) : await conclude(head, of: message, digests))
        }
    }

    private func judgeStreamed(
        _ request: inout Request, _ message: Message, _ head: Assessment, _ contentLength: Int?,
        _ digests: CoveredDigests, enforces: Bool
    ) -> Judgement {
        let outcome = StreamedOutcome()
        let options = options
        let reader = StreamedBodyReader(
            request.body, contentLength: contentLength, limit: options.body.limit, digests, outcome: outcome,
            decide: { await conclude(head, of: message, $0) }, refuses: { enforces && options.refuses($0) })
        request.body = RequestBody(asyncSequence: StreamedBody(reader: reader))
        var judgement = Judgement(.pending)
        judgement.streamed = (outcome, reader)
        return judgement
    }

    /// The signed parts of a request, without its body.
    private struct Message: Sendable {
        let app: String?
        let method: String
        let targetURI: String
        let fields: [ApproovMessageInput.Field]
        let address: String?
        let account: String?
        /// The time at which the message is judged, however long its body takes.
        let arrival: Date
    }

    private func assess(
        _ message: Message, _ body: ApproovMessageInput.Body
    ) async throws(VerificationError) -> Assessment {
        let input = ApproovMessageInput(
            method: message.method, targetURI: message.targetURI, fields: message.fields, body: body,
            address: message.address)
        return try await state.verifier.assessApproovMessage(
            input, app: message.app, account: message.account, at: message.arrival)
    }

    /// The outcome of a message with a body, of which only the head is assessed.
    private func conclude(_ head: Assessment, of message: Message, _ digests: CoveredDigests) async -> ApproovOutcome {
        let expected = (head.subject as? ApproovSubject)?.message?.contentDigests ?? []
        if head.isAcceptable, digests.match(expected) { return await conclude(head) }
        do throws(VerificationError) {
            return await conclude(try await assess(message, digests.body))
        } catch { return Self.outcome(of: error) }
    }

    /// The outcome of an assessment. Nothing is written to the ledger before.
    private func conclude(_ assessment: Assessment) async -> ApproovOutcome {
        do throws(VerificationError) {
            return .verdict(try await assessment.verdict(committingTo: state.verifier.ledger, at: options.now()))
        } catch { return Self.outcome(of: error) }
    }

    private static func outcome(of error: VerificationError) -> ApproovOutcome {
        switch error {
        case .outage(let outage): .outage(outage)
        case .request(let error): .misconfigured(error)
        // Not thrown: there is no record.
        case .record(let error): .misconfigured(RequestError(.unknownKind, error.description))
        }
    }

    /// The fields in the order received. HTTPRequest has the first `Host`, in HTTP/2 `:authority`, apart from them. Several
    /// `cookie` fields count as one (RFC 9113 section 8.2.3).
    private static func fields(of head: HTTPRequest) -> [ApproovMessageInput.Field] {
        var fields: [ApproovMessageInput.Field] = []
        fields.reserveCapacity(head.headerFields.count + 1)
        if let authority = head.authority { fields.append(ApproovMessageInput.Field("Host", authority)) }
        var cookie = head.headerFields[.cookie]
        for field in head.headerFields {
            if field.name == .cookie {
                guard let crumbs = cookie.take() else { continue }
                fields.append(ApproovMessageInput.Field(field.name.rawName, crumbs))
            } else {
                fields.append(ApproovMessageInput.Field(field.name.rawName, field.value))
            }
        }
        return fields
    }

    /// The declared length; nil without one, or for a malformed one, which the server handled.
    private static func contentLength(of fields: HTTPFields) -> Int? {
        fields[.contentLength].flatMap { Int($0) }
    }
}

extension Assessment {
    fileprivate var failed: [CheckID] { checks.filter { $0.status == .failed }.map(\.check) }
}
