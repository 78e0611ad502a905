import Assay
import AssayCore
import HTTPTypes
import NIOCore

/// An error of a request, answered as `application/problem+json` (RFC 9457).
struct Problem: Error {
    /// The HTTP status.
    let status: HTTPResponse.Status
    /// The stable code, also the end of `type`.
    let code: ProblemCode
    /// What was found, what is allowed, and what to do.
    let detail: String
    /// The detail for the log, if the answer must not have it; nil for the same.
    var logDetail: String?
    /// The field of the record, and the byte of the body, that is wrong.
    var place: (field: String, offset: Int?)?
    /// What the client can do, as in verdicts; nil if the status says it.
    var remedy: Remedy?
    /// The word of Approov's SDK for the problem, for clients; nil for none.
    var word: String?
    /// Further fields of the answer.
    var headers: HTTPFields = [:]
    /// An outage that the verifier has not counted.
    private(set) var uncounted: (any Outage)?

    init(_ status: HTTPResponse.Status, _ code: ProblemCode, _ detail: String) {
        (self.status, self.code, self.detail) = (status, code, detail)
    }

    /// An outage of the ledger, the key store or Google, outside of the verifier.
    init(_ outage: any Outage, retryAfter: Int) {
        self.init(.serviceUnavailable, .outage, outage.description)
        uncounted = outage
        headers[.retryAfter] = "\(retryAfter)"
    }

    /// The problem of a call that gave no verdict.
    init(_ error: VerificationError, retryAfter: Int) {
        switch error {
        case .record(let error): self.init(error)
        case .outage(let outage):
            self.init(outage, retryAfter: retryAfter)
            uncounted = nil
        case .request(let error):
            let isOfClaims = error.reason == .invalidClaims
            self.init(
                error.isOfOperator ? .internalServerError : isOfClaims ? .badRequest : .unprocessableContent,
                ProblemCode(error), error.message)
            if isOfClaims { word = "BAD_PAYLOAD" }
        }
    }

    /// The problem of a record that cannot be read.
    init(_ error: RecordError) {
        self.init(.badRequest, .unreadableRecord, error.message)
        place = (error.field, error.offset)
    }

    /// The problem of another request that cannot be read.
    init(request error: RecordError) {
        self.init(.badRequest, .unreadableRequest, error.message)
        place = (error.field, error.offset)
    }

    /// The object on one line.
    var json: String {
        var object = JSONObject()
        object.add("type", text: "urn:assay:problem:\(code.rawValue)")
        object.add("title", text: status.reasonPhrase)
        object.add("status", raw: "\(status.code)")
        object.add("detail", text: detail)
        object.add("code", text: code.rawValue)
        if let place {
            if !place.field.isEmpty { object.add("field", text: place.field) }
            if let offset = place.offset { object.add("offset", raw: "\(offset)") }
        }
        if let remedy { object.add("remedy", text: remedy.rawValue) }
        if let word { object.add("error", text: word) }
        return object.text
    }

    /// The answer.
    var response: Response {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return .text(json, status, headers)
    }
}

extension RequestError {
    /// Whether only the operator of the service can fix it: 500, not 422.
    var isOfOperator: Bool { [.noKey, .noService, .noStatusList].contains(reason) }
}

extension Problem {
    static func tooLong(_ limit: Int) -> Problem {
        Problem(
            .contentTooLarge, .bodyTooLong,
            "a body has at most \(limit) bytes here: limits.body, or the limit of this endpoint if that is lower")
    }

    static var cut: Problem {
        Problem(.badRequest, .bodyLengthDiffers, "the body is shorter or longer than Content-Length says")
    }

    static func slow(_ seconds: Double, limit: String = "limits.bodyTime") -> Problem {
        Problem(.requestTimeout, .bodyTooSlow, "the body did not arrive within \(seconds) s; see \(limit)")
    }

    static func tooManyConnections(_ limit: Int, retryAfter: Int) -> Problem {
        var problem = Problem(
            .serviceUnavailable, .tooManyConnections,
            "the listener has \(limit) connections with requests already; send it again later, see limits.connections")
        problem.headers[.retryAfter] = "\(retryAfter)"
        return problem
    }

    static func mediaType(_ found: String?, _ allowed: String) -> Problem {
        Problem(
            .unsupportedMediaType, .mediaType,
            "expected Content-Type \(allowed), found \(found.map(\.excerpt) ?? "none")")
    }
}

extension Response {
    /// An answer that no cache keeps.
    static func bytes(_ bytes: ByteBuffer, _ status: HTTPResponse.Status, _ headers: HTTPFields) -> Response {
        var headers = headers
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: .whole(bytes))
    }

    /// Text with a line feed.
    static func text(_ text: String, _ status: HTTPResponse.Status = .ok, _ headers: HTTPFields) -> Response {
        .bytes(ByteBuffer(string: text + "\n"), status, headers)
    }

    /// JSON on one line.
    static func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        .json(Array(text.utf8), status)
    }

    static func json(_ bytes: consuming [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
        bytes.append(UInt8(ascii: "\n"))
        return Response(status: status, lines: jsonLines, body: .whole(ByteBuffer(bytes: bytes)))
    }

    private static let jsonLines = Array("Content-Type: application/json\r\nCache-Control: no-store\r\n".utf8)
}
