import Assay
import AssayCore
import HTTPTypes
package import Hummingbird
import NIOCore

/// The answers to refused requests.
package struct RefusalResponse {
    let options: EvidenceGuard.Options

    /// Creates the answers for options.
    package init(options: EvidenceGuard.Options) { self.options = options }

    /// The answer to a refused request.
    package func answer(_ decision: RequestDecision) -> Response {
        switch decision.outcome {
        case .verdict(let verdict): rejection(verdict, by: type(of: decision.evidence.engine))
        case .outage: outage(decision)
        case .misconfigured, .pending, .off: misconfiguration(decision)
        case .unjudged(let obstacle): unjudged(obstacle)
        }
    }

    private func unjudged(_ obstacle: RequestObstacle) -> Response {
        let status: HTTPResponse.Status =
            switch obstacle {
            case .unknownHost: .misdirectedRequest
            case .bodyTooLong: .contentTooLarge
            case .bodyTooSlow: .requestTimeout
            case .bodyLengthDiffers, .badTarget, .badHost: .badRequest
            }
        return answer(status, #"{"error":"\#(obstacle.rawValue)"}"#)
    }

    private func outage(_ decision: RequestDecision) -> Response {
        var response = answer(.serviceUnavailable, #"{"error":"\#(decision.kind.engine)-unavailable"}"#)
        response.headers[.retryAfter] = String(max(0, options.retryAfter))
        return response
    }

    /// The answer to a request under an unusable configuration.
    func misconfiguration(_ decision: RequestDecision?) -> Response {
        answer(.internalServerError, #"{"error":"\#(decision?.kind.engine ?? "evidence")-misconfigured"}"#)
    }

    private func rejection(_ verdict: Verdict, by engine: any RequestEngine.Type) -> Response {
        let isRepairable = !verdict.lacksDigest && engine.isRepairable(verdict)
        let facts = (verdict.engineSubject?.clientFacts ?? []).filter { Self.isPlain($0.value) }
        var body = #"{"error":"\#(verdict.kind.engine)-rejected""#
        for fact in facts { body += #","\#(fact.name)":"\#(fact.value)""# }
        if let remedy = verdict.remedy { body += #","remedy":"\#(remedy.rawValue)""# }
        switch options.disclosure {
        case .codes: break
        case .failedChecks:
            let names = verdict.failed.map { #""\#($0.name)""# }.joined(separator: ",")
            body += #","failed":[\#(names)]"#
        }
        var response = answer(isRepairable ? .unauthorized : .forbidden, body + "}")
        for fact in facts {
            if let name = fact.field.flatMap({ HTTPField.Name($0) }) { response.headers[name] = fact.value }
        }
        if isRepairable {
            for field in engine.challenge(verdict) {
                if let name = HTTPField.Name(field.name) { response.headers[name] = field.value }
            }
        }
        return response
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

    private func answer(_ status: HTTPResponse.Status, _ json: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
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
