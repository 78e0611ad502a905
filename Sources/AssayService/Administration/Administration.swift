import AssayCore
import AssayPrimitives
import FoundationEssentials
import HTTPTypes

/// `/v1/admin/...`: what the commands `ledger`, `keys`, `policy`, `audit`, `operators` and `recent` do, for operators with a token.
struct Administration: Sendable {
    /// The longest body that is no policy, in bytes.
    static let bodyLimit = 64 << 10

    let state: ServiceState
    let dependencies: ServiceDependencies
    let configuration: ServiceConfiguration
    /// Where policies are reviewed.
    let work: SerialWork
    /// Reads the policy and the files of TLS again for the operator with a name.
    let reload: @Sendable (String) async throws(Problem) -> Void

    /// All endpoints, in the order of the documentation.
    var endpoints: [Endpoint] {
        subjectEndpoints + buildEndpoints + keyEndpoints + policyEndpoints + auditEndpoints + operatorEndpoints
            + recentEndpoints
    }

    /// Calls the ledger. An outage is answered with 503.
    func ledger<Result: Sendable>(
        _ body: (any LedgerAdministration) async throws(LedgerOutage) -> Result
    ) async throws(Problem) -> Result {
        do throws(LedgerOutage) { return try await body(dependencies.ledger) } catch { throw outage(error) }
    }

    /// The answer in an outage.
    func outage(_ outage: any Outage) -> Problem { Problem(outage, retryAfter: configuration.retryAfter) }

    /// Reads the body of a request: a JSON object with members of these names and no others.
    func fields(_ served: ServiceRequest, _ names: [String]) async throws(Problem) -> AdminFields {
        try await served.requireNoQuery()
        let fields = try await served.fields(names, upTo: Self.bodyLimit, within: configuration.limits.bodyTime)
        // The caller's token may have ended while the body arrived.
        _ = try await served.caller()
        return AdminFields(fields: fields)
    }
}

extension JSONFragment {
    /// The schema of names and reasons.
    static let text = string(min: 1, max: 255)
    /// The parameter of ``ServiceRequest/pathName()``.
    static let pathName: Self = #"{"name":"name","in":"path","required":true,"schema":\#(text.json)}"#
}

extension ServiceRequest {
    /// The name in the path, decoded.
    func pathName() throws(Problem) -> String {
        guard let name = String(segment).percentDecoded, AdminText.objection(to: name) == nil else {
            throw Problem(
                .badRequest, .unreadableRequest,
                "the name in the path is no UTF-8 text in percent-encoding, or has a zero byte")
        }
        return name
    }

    /// Reads the query.
    ///
    /// - Parameters:
    ///   - names: the allowed parameters. A parameter is given once at most.
    ///   - mayBeEmpty: whether a value may be empty, as that of a field which a form leaves open.
    func query(_ names: [String], mayBeEmpty: Bool = false) throws(Problem) -> [String: String] {
        let target = request.head.target
        guard let mark = target.firstIndex(of: "?") else { return [:] }
        var found: [String: String] = [:]
        for pair in target[target.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { String($0).replacing("+", with: " ").percentDecoded }
            guard let first = texts.first, let name = first, let value = texts.count > 1 ? texts[1] : "" else {
                throw Self.queryProblem("", "the query is no UTF-8 text in percent-encoding")
            }
            guard names.containsBytes(of: name) else {
                throw Self.queryProblem(
                    name.excerpt,
                    "unknown parameter; "
                        + (names.isEmpty ? "this request has none" : "allowed are \(names.joined(separator: ", "))"))
            }
            if !(mayBeEmpty && value.isEmpty), let objection = AdminText.objection(to: value) {
                throw Self.queryProblem(name, objection)
            }
            guard found.updateValue(value, forKey: name) == nil else {
                throw Self.queryProblem(name, "the query has the parameter twice")
            }
        }
        return found
    }

    /// Refuses a query.
    func requireNoQuery() async throws(Problem) { _ = try query([]) }

    /// The problem of a parameter.
    static func queryProblem(_ name: String, _ message: String) -> Problem {
        var problem = Problem(.badRequest, .unreadableRequest, message)
        problem.place = (name, nil)
        return problem
    }
}

/// The rules of texts that operators send.
enum AdminText {
    /// The longest text, in bytes of UTF-8.
    static let limit = 4096

    /// Why a text is not taken; nil if it is. Databases end a text at a zero byte.
    static func objection(to text: String) -> String? {
        guard (1...limit).contains(text.utf8.count) else {
            return "expected 1 to \(limit) bytes, found \(text.utf8.count)"
        }
        return text.utf8.contains(0) ? "expected text without a zero byte" : nil
    }
}

extension String {
    /// The text in percent-encoding, for a value of a query: all but unreserved characters (RFC 3986, section 2.3).
    package var queryEncoded: String {
        utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(byte))
            default: "%" + [byte].hexadecimal.uppercased()
            }
        }.joined()
    }

    /// The text with its percent-encoded bytes (RFC 3986, section 2.1); nil for a wrong encoding, and if it is not UTF-8.
    var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The members of a body.
struct AdminFields {
    let fields: RecordFields

    /// The problem of a member that has been read.
    func problem(_ name: String, _ message: String) -> Problem { Problem(request: fields.error(name, message)) }

    /// A required text.
    func text(_ name: String) throws(Problem) -> String {
        guard let text = try optionalText(name) else { throw Problem(request: fields.missing(name)) }
        return text
    }

    /// An optional text, which is not empty.
    func optionalText(_ name: String) throws(Problem) -> String? {
        let text: String?
        do throws(RecordError) { text = try fields.text(name) } catch { throw Problem(request: error) }
        if let text, let objection = AdminText.objection(to: text) { throw problem(name, objection) }
        return text
    }

    /// An optional time.
    func time(_ name: String) throws(Problem) -> Date? {
        guard let text = try optionalText(name) else { return nil }
        guard let time = RFC3339.parse(text) else {
            throw problem(name, "expected an RFC 3339 time such as 2026-04-21T18:13:12Z, found \(text.excerpt)")
        }
        return time
    }

    /// An optional end to come: a time, or `never`.
    ///
    /// - Returns: the end; nil inside for never, nil outside if the member is absent.
    func end(_ name: String, after now: Date) throws(Problem) -> Date?? {
        guard let text = try optionalText(name) else { return .none }
        if text == "never" { return .some(nil) }
        guard let time = try time(name) else { return .none }
        guard time > now else { throw problem(name, "expected a time to come, or never, found \(text.excerpt)") }
        return .some(time)
    }

    /// The texts of an optional list.
    func texts(_ name: String) throws(Problem) -> [String] {
        do throws(RecordError) { return try fields.texts(name) } catch { throw Problem(request: error) }
    }
}
