import AssayCore
public import HTTPTypes

/// The answer to a refused request.
public struct Refusal: Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The fields, `Content-Type` among them.
    public var fields: HTTPFields
    /// The body, a small JSON object.
    public var body: [UInt8]

    private static let remedyField = HTTPField.Name("Assay-Remedy") ?? .retryAfter

    private init(_ status: HTTPResponse.Status, _ json: String) {
        self.status = status
        fields = [.contentType: "application/json", .cacheControl: "no-store"]
        body = Array(json.utf8)
    }

    /// The answer to a refused request.
    package init(_ decision: RequestDecision, _ options: EvidenceGuard.Options) {
        switch decision.outcome {
        case .verdict(let verdict):
            self.init(verdict, by: type(of: decision.evidence.engine), options.disclosure)
        case .outage:
            self.init(.serviceUnavailable, #"{"error":"\#(decision.kind.engine)-unavailable"}"#)
            fields[.retryAfter] = String(max(0, options.retryAfter))
        case .misconfigured, .pending, .off: self = .misconfiguration(decision)
        case .unjudged(let obstacle):
            let status: HTTPResponse.Status =
                switch obstacle {
                case .unknownHost: .misdirectedRequest
                case .bodyTooLong: .contentTooLarge
                case .bodyTooSlow: .requestTimeout
                case .bodyLengthDiffers, .badTarget, .badHost: .badRequest
                }
            self.init(status, #"{"error":"\#(obstacle.rawValue)"}"#)
        }
    }

    /// The answer to a request under an unusable configuration.
    package static func misconfiguration(_ decision: RequestDecision?) -> Refusal {
        Refusal(.internalServerError, #"{"error":"\#(decision?.kind.engine ?? "evidence")-misconfigured"}"#)
    }

    private init(_ verdict: Verdict, by engine: any RequestEngine.Type, _ disclosure: EvidenceGuard.Options.Disclosure)
    {
        let isRepairable = !verdict.lacksDigest && engine.isRepairable(verdict)
        let facts = (verdict.engineSubject?.clientFacts ?? []).filter { Self.isPlain($0.value) }
        var body = #"{"error":"\#(verdict.kind.engine)-rejected""#
        for fact in facts { body += #","\#(fact.name)":"\#(fact.value)""# }
        if let remedy = verdict.remedy { body += #","remedy":"\#(remedy.rawValue)""# }
        switch disclosure {
        case .codes: break
        case .failedChecks:
            let names = verdict.failed.map { #""\#($0.name)""# }.joined(separator: ",")
            body += #","failed":[\#(names)]"#
        }
        self.init(isRepairable ? .unauthorized : .forbidden, body + "}")
        // nginx and HAProxy pass on no body of a request for authorization.
        if let remedy = verdict.remedy { fields[Self.remedyField] = remedy.rawValue }
        for fact in facts {
            if let name = fact.field.flatMap({ HTTPField.Name($0) }) { fields[name] = fact.value }
        }
        if isRepairable {
            for field in engine.challenge(verdict) {
                if let name = HTTPField.Name(field.name) { fields[name] = field.value }
            }
        }
    }

    /// Whether a text needs no escaping in a field and in JSON. Forged tokens may contain anything.
    private static func isPlain(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "+/=-_".utf8.contains(byte)
                }
            }
    }
}

extension EvidenceKind {
    /// The name of the engine: `approov` of `approov.token`.
    fileprivate var engine: Substring { name.prefix { $0 != "." } }
}

extension Verdict {
    /// Whether the server does not see the body that the signature covers. It will not see the next one.
    fileprivate var lacksDigest: Bool {
        checks.contains { $0.status == .failed && $0.finding?.code == CheckCode.digestNotComputed.name }
    }
}
