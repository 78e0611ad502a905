import Approov
import Assay
import AssayCore
import AssayTokens
import HTTPTypes
package import Hummingbird
import NIOCore

/// The answers to refused requests.
package struct RefusalResponse {
    /// The field for the attestation response code in Approov's manual (React Native, "Log rejections with ARC").
    static let responseCode = HTTPField.Name("X-Approov-Error-ARC")
    /// The field for the device ID in the same manual.
    static let deviceID = HTTPField.Name("X-Approov-Error-Device-ID")

    let options: EvidenceMiddlewareOptions

    /// Creates the answers for options.
    package init(options: EvidenceMiddlewareOptions) { self.options = options }

    /// The answer to a refused request.
    package func answer(_ decision: RequestDecision) -> Response {
        switch decision.outcome {
        case .verdict(let verdict): rejection(verdict)
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

    private func rejection(_ verdict: Verdict) -> Response {
        let failed = verdict.failed
        let isRepairable = verdict.isRepairable
        let subject = verdict.approov
        let code = Self.plain(subject?.responseCode ?? subject?.claimed?.responseCode)
        let device = Self.plain(subject?.deviceID ?? subject?.claimed?.deviceID)
        var body = #"{"error":"\#(verdict.kind.engine)-rejected""#
        if let code { body += #","arc":"\#(code)""# }
        if let device { body += #","deviceId":"\#(device)""# }
        if subject == nil, let key = Self.plain(verdict.engineSubject?.identifier) { body += #","keyId":"\#(key)""# }
        if let remedy = verdict.remedy { body += #","remedy":"\#(remedy.rawValue)""# }
        switch options.disclosure {
        case .codes: break
        case .failedChecks:
            let names = failed.map { #""\#($0.name)""# }.joined(separator: ",")
            body += #","failed":[\#(names)]"#
        }
        var response = answer(isRepairable ? .unauthorized : .forbidden, body + "}")
        if let code, let name = Self.responseCode { response.headers[name] = code }
        if let device, let name = Self.deviceID { response.headers[name] = device }
        // Required by RFC 9110 section 15.5.2.
        if isRepairable {
            if verdict.kind == .assayToken {
                TokenRefusal.add(verdict, to: &response.headers)
            } else {
                response.headers[.wwwAuthenticate] = verdict.kind.scheme
            }
        }
        return response
    }

    /// The text if it needs no escaping in a field and in JSON; otherwise nil. Forged tokens may contain anything.
    private static func plain(_ text: String?) -> String? {
        guard let text, (1...64).contains(text.utf8.count) else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "+/=-_".utf8.contains(byte)
            }
        }
        return isPlain ? text : nil
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

    /// The authentication scheme of the challenge to a client without acceptable evidence.
    fileprivate var scheme: String { engine == "approov" ? "Approov" : "Assay" }
}

extension Verdict {
    /// The Approov checks by which the policy refuses the app, the device or the service. Another token would fail too.
    private static let finalChecks = [
        ApproovCheck.issuer, ApproovCheck.audience, ApproovCheck.failover, ApproovCheck.annotations,
        ApproovCheck.device, ApproovCheck.account,
    ]

    /// Whether the client can succeed with another attempt. If no check passed, the request carried no evidence and the
    /// client did not know the requirement.
    fileprivate var isRepairable: Bool {
        if kind == .approovToken || kind == .approovMessage {
            return !(failed.first.map(Self.finalChecks.contains) ?? false)
        }
        guard checks.contains(where: { $0.status == .passed }) else { return true }
        return switch remedy {
        case .retry, .newChallenge, .newAttestation, nil: true
        case .updateApp, .updateSystem, .contactSupport, .nothing: false
        }
    }
}
