import AssayCore
import AssayPrimitives
import PlayIntegrity

/// An error of a Google API: `{"error": {"code": 400, "message": "...", "status": "INVALID_ARGUMENT", "details": [...]}}`
/// (AIP-193).
struct GoogleError: CustomStringConvertible {
    /// The status in words, such as `PERMISSION_DENIED`.
    let status: String
    /// What Google says, quoted with care.
    let message: String
    /// Whether it speaks of the form of the request, or of who sent it, instead of the token in it.
    private let isAboutRequest: Bool

    /// Reads the body of an error, and gives nil when it is none of a Google API.
    ///
    /// - Parameter code: the status code of the answer, which the body repeats.
    init?(_ body: [UInt8], code: Int, limit: Int) {
        guard let document = try? JSONReader.readObject(body, limit: limit),
            case .object(let error) = document["error"]?.content, case .text(let status) = error["status"]?.content,
            case .number(let digits) = error["code"]?.content, digits.isByteEqual(to: String(code))
        else { return nil }
        self.status = ServerText.quote(status)
        if case .text(let text) = error["message"]?.content {
            message = ServerText.quote(text)
        } else {
            message = "no message"
        }
        let details: [RecordValue] = if case .array(let details) = error["details"]?.content { details } else { [] }
        isAboutRequest =
            message.hasPrefix("Invalid JSON payload received") || details.contains(where: GoogleError.isAboutRequest)
    }

    /// Whether it says of the token that it cannot be decoded.
    ///
    /// Google has one status, INVALID_ARGUMENT, for a token that it cannot decode and for a request that it cannot read,
    /// and documents no sentences. The request is made here from a token of a checked form, so that the token is at fault
    /// unless the error names something else: another field (`google.rpc.BadRequest`), the reason of a refused caller, such
    /// as API_KEY_INVALID (`google.rpc.ErrorInfo`), or JSON that cannot be read.
    var isAboutToken: Bool { status.isByteEqual(to: "INVALID_ARGUMENT") && !isAboutRequest }

    private static func isAboutRequest(_ detail: RecordValue) -> Bool {
        guard case .object(let detail) = detail.content, case .text(let type) = detail["@type"]?.content else {
            return false
        }
        if type.isByteEqual(to: "type.googleapis.com/google.rpc.ErrorInfo") { return true }
        guard type.isByteEqual(to: "type.googleapis.com/google.rpc.BadRequest"),
            case .array(let violations) = detail["fieldViolations"]?.content
        else { return false }
        return violations.contains { violation in
            guard case .object(let violation) = violation.content, case .text(let field) = violation["field"]?.content
            else { return false }
            return !["integrity_token", "integrityToken"].containsBytes(of: field)
        }
    }

    /// Status and sentence.
    var description: String { "\(status): \(message)" }
}
