import Approov
import Assay
import AssayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The answers to refused requests.
struct RefusalResponse {
    /// The field of the attestation response code in Approov's manual (React Native, "Log rejections with ARC").
    static let responseCode = HTTPField.Name("X-Approov-Error-ARC")
    /// The field of the device ID there.
    static let deviceID = HTTPField.Name("X-Approov-Error-Device-ID")

    let options: ApproovMiddlewareOptions

    /// A request that cannot be judged.
    func unjudged(_ obstacle: ApproovObstacle) -> Response {
        let status: HTTPResponse.Status =
            switch obstacle {
            case .unknownHost: .misdirectedRequest
            case .bodyTooLong: .contentTooLarge
            case .bodyLengthDiffers, .badTarget, .badHost: .badRequest
            }
        return answer(status, #"{"error":"\#(obstacle.rawValue)"}"#)
    }

    /// A request during an outage.
    func outage() -> Response {
        var response = answer(.serviceUnavailable, #"{"error":"approov-unavailable"}"#)
        response.headers[.retryAfter] = String(max(0, options.retryAfter))
        return response
    }

    /// A request under an unusable configuration.
    func misconfiguration() -> Response {
        answer(.internalServerError, #"{"error":"approov-misconfigured"}"#)
    }

    /// A rejected request.
    func rejection(_ verdict: Verdict) -> Response {
        let failed = verdict.failed
        let status: HTTPResponse.Status = failed.first.map(Self.isBeyondRepair) ?? false ? .forbidden : .unauthorized
        let subject = verdict.approov
        let code = Self.plain(subject?.responseCode ?? subject?.claimed?.responseCode)
        let device = Self.plain(subject?.deviceID ?? subject?.claimed?.deviceID)
        var body = #"{"error":"approov-rejected""#
        if let code { body += #","arc":"\#(code)""# }
        if let device { body += #","deviceId":"\#(device)""# }
        if let remedy = verdict.remedy { body += #","remedy":"\#(remedy.rawValue)""# }
        switch options.disclosure {
        case .codes: break
        case .failedChecks:
            let names = failed.map { #""\#($0.name)""# }.joined(separator: ",")
            body += #","failed":[\#(names)]"#
        }
        var response = answer(status, body + "}")
        if let code, let name = Self.responseCode { response.headers[name] = code }
        if let device, let name = Self.deviceID { response.headers[name] = device }
        // Required by RFC 9110 section 15.5.2.
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Approov" }
        return response
    }

    /// Whether another token would fail too: the policy refuses the app, the device or the service.
    private static func isBeyondRepair(_ check: CheckID) -> Bool {
        [
            ApproovCheck.issuer, ApproovCheck.audience, ApproovCheck.failover, ApproovCheck.annotations,
            ApproovCheck.device, ApproovCheck.account,
        ].contains(check)
    }

    /// The text, if it needs no escaping in a field and in JSON. Forged tokens may contain anything.
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
