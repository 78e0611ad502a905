import AssayCore
import HTTPTypes
import NIOCore
import Synchronization

/// What an endpoint answers on a request.
typealias Answer = @Sendable (inout ServiceRequest) async throws(Problem) -> Response

/// The same without waiting; nil if the answer has to wait for something.
typealias AnswerAtOnce = @Sendable (inout ServiceRequest) throws(Problem) -> Response?

/// One method of one path, or every method of all paths with a prefix, and its description. A class, so that requests share it.
final class Endpoint: Sendable {
    /// Who may call it.
    enum Access: Sendable {
        /// Every client of the listener.
        case all
        /// Operators with a right, where the listener demands tokens.
        case right(OperatorRight)
        /// Operators with a right, on TCP always with a token; on a unix socket the file's mode decides.
        case administration(OperatorRight)
    }

    /// Nil for every method.
    let method: HTTPRequest.Method?
    /// The path, in the form of OpenAPI: `/v1/checks/{name}`. One part in braces matches one segment that is not empty. Without a
    /// method, the prefix of paths of which the endpoint reads the rest.
    let path: String
    let access: Access
    /// The description in the document of the listener: its ID there, what it does, the parameters, and the members `requestBody`
    /// and `responses`.
    let name, summary: String
    let parameters: [JSONFragment]
    let bodies: String
    let answer: Answer
    /// Nil if every answer may wait.
    let answerAtOnce: AnswerAtOnce?
    /// What is before and after the part in braces; nil without one.
    private let around: (prefix: String, suffix: String)?

    /// - Parameters:
    ///   - body: the bodies of requests; empty without.
    ///   - success: the status of success. `outcome` says what it means; `content` are its bodies.
    ///   - answers: further answers that are not only problems, by status.
    ///   - problems: the statuses of problems, besides 503 and those of the access and the body.
    init(
        _ method: HTTPRequest.Method?, _ path: String, _ access: Access, _ name: String, _ summary: String,
        parameters: [JSONFragment] = [], body: Content = [:], isBodyRequired: Bool = true,
        success: Int = 200, outcome: String = "Done.", content: Content = .json(.object),
        answers: [Int: JSONFragment] = [:], problems: [Int] = [], atOnce: AnswerAtOnce? = nil,
        _ answer: @escaping Answer
    ) {
        (self.method, self.path, self.access) = (method, path, access)
        (self.answer, answerAtOnce) = (answer, atOnce)
        route = method == nil ? path + "{app}" : path
        (self.name, self.summary, self.parameters) = (name, summary, parameters)
        let answers = answers.merging([success: .answer(outcome, content)]) { given, _ in given }
        bodies = Self.bodies(access, body, isBodyRequired, answers, problems)
        let parts = path.split(omittingEmptySubsequences: false) { "{}".contains($0) }
        around = parts.count == 3 ? (String(parts[0]), String(parts[2])) : nil
    }

    /// True if the answer may take long: it then runs outside the event loop, so that other connections need not wait.
    var isLong: Bool {
        if case .administration = access { return true }
        return path == InspectEndpoint.path || path.hasPrefix(Console.path)
    }

    /// The path as metrics and spans name it.
    let route: String

    /// The segment of a path in place of the part in braces, empty if there is none; nil if the path is another one. The path is
    /// compared as it was received: `%2F`, `..` and `//` match nothing.
    func match(_ received: String) -> Substring? {
        if method == nil { return received.hasPrefix(path) ? "" : nil }
        guard let (prefix, suffix) = around else { return received == path ? "" : nil }
        guard received.hasPrefix(prefix), received.dropFirst(prefix.count).hasSuffix(suffix) else { return nil }
        let segment = received.dropFirst(prefix.count).dropLast(suffix.count)
        return segment.isEmpty || segment.contains("/") ? nil : segment
    }
}

/// A request on its way to an endpoint.
struct ServiceRequest {
    let request: Request
    /// The part of the path in braces.
    var segment: Substring = ""
    /// The ID of the request in the log and in the answer.
    let id: RequestID
    /// The connection.
    let channel: any Channel
    let deadlines: BodyDeadlines
    /// The request's share of those that are handled at the same time. A streamed answer keeps it until it ends.
    let slot: RequestSlot
    /// Nil as long as no endpoint matches.
    var endpoint: Endpoint?
    /// Authenticates the caller again, during a long answer.
    var caller: @Sendable () async throws(Problem) -> Caller? = { () throws(Problem) in nil }
    /// Who called, where the endpoint is not for all.
    var calledBy: Caller?
    /// What the log says about the request besides its answer.
    var note = RequestNote()
}

/// Who sent a request.
struct Caller: Sendable {
    /// The name for the log and the audit trail.
    let name: String
    /// The operator whose token was sent; nil on a unix socket.
    let stored: LedgerOperator?
}

/// One of the requests that are handled at the same time.
final class RequestSlot: Sendable {
    /// Counts the slots in use.
    final class Counter: Sendable {
        fileprivate let present = Atomic<Int>(0)
    }

    private let counter: Counter
    /// How many slots were in use when this one was taken, itself included.
    let number: Int

    init(_ counter: Counter) {
        self.counter = counter
        number = counter.present.add(1, ordering: .relaxed).newValue
    }

    deinit { counter.present.subtract(1, ordering: .relaxed) }
}
