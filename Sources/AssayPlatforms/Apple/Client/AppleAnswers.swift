import AssayCore
import Foundation

/// What Apple's server says to a receipt.
package enum ReceiptAnswer: Sendable, Equatable {
    /// A new receipt, not verified.
    case receipt([UInt8])
    /// It is too early: before field 19.
    case notYet
    /// Apple has no data on the key. That is normal a month after the attestation.
    case noData
}

/// Why a call of DeviceCheck has no result.
@nonexhaustive
public enum DeviceCheckError: Error, Sendable, Equatable {
    /// The device token is malformed, expired or of the other environment. The client is at fault.
    case badToken(String)
    /// Apple gave no answer about the token.
    case outage(AppleServicesOutage)
}

/// Classifies Apple's answers by status, then by words in the body. The bodies are plain text, and Apple has changed
/// their wording. Every unknown answer is an outage.
enum AppleAnswers {
    /// The most bytes that are read of a text: Apple's have less than 200.
    static let textLimit = 4096

    /// A classified answer.
    enum Reading<Value> {
        case value(Value)
        case badToken(String)
        /// Apple refuses the token of the developer account.
        case unauthorised(String)
        /// No answer to the question: the side at fault, and when to try again.
        case failure(FailureSide, AppleServicesOutage)
    }

    /// The answer to a receipt: base64 of a new one, or a status.
    static func receipt(_ answer: HTTPAnswer, now: Date) -> Reading<ReceiptAnswer> {
        switch answer.status {
        case 200:
            guard let bytes = try? Base64.decode(trimmed(answer.body), .standard), !bytes.isEmpty else {
                return unexpected(answer, "no base64 of a receipt")
            }
            guard bytes.count <= InputLimits.receipt else {
                return unexpected(
                    answer, "a receipt of \(bytes.count) bytes, at most \(InputLimits.receipt) are allowed")
            }
            return .value(.receipt(bytes))
        case 304: return .value(.notYet)
        case 404: return .value(.noData)
        default: return other(answer, now: now)
        }
    }

    static func bits(_ answer: HTTPAnswer, now: Date) -> Reading<DeviceBits> {
        guard answer.status == 200 else { return deviceCheck(answer, now: now) }
        let text = words(answer)
        if text.contains("failed to find bit state") || text.contains("bit state not found") {
            return .value(DeviceBits(first: false, second: false, changedIn: nil))
        }
        guard let object = try? JSONReader.readObject(Array(trimmed(answer.body)), limit: textLimit),
            case .flag(let first) = object["bit0"]?.content, case .flag(let second) = object["bit1"]?.content,
            case .text(let month) = object["last_update_time"]?.content
        else { return unexpected(answer, "no JSON with bit0, bit1 and last_update_time") }
        let bits = DeviceBits(first: first, second: second, changedIn: month)
        guard bits.monthOfChange != nil else { return unexpected(answer, "a last_update_time that is no month") }
        return .value(bits)
    }

    /// The answer without content to an update or a validation.
    static func confirmation(_ answer: HTTPAnswer, now: Date) -> Reading<Void> {
        guard answer.status == 200 else { return deviceCheck(answer, now: now) }
        return trimmed(answer.body).isEmpty ? .value(()) : unexpected(answer, "a text where none is documented")
    }

    /// Words about the parts of a request that this program writes, all but the device token.
    private static let ownParts = ["authorization", "bits", "time stamp", "timestamp", "transaction"]

    /// An answer without a result. The device token is all of a request that a client has chosen: what Apple refuses in it, in words that
    /// are known or not, is no outage.
    private static func deviceCheck<Value>(_ answer: HTTPAnswer, now: Date) -> Reading<Value> {
        let text = words(answer)
        switch answer.status {
        case 400 where !ownParts.contains(where: { text.contains($0) }): return .badToken(said(answer))
        case 413: return .badToken("HTTP 413, \(said(answer))")
        default: return other(answer, now: now)
        }
    }

    private static func other<Value>(_ answer: HTTPAnswer, now: Date) -> Reading<Value> {
        let said = "HTTP \(answer.status), \(Self.said(answer))"
        let retryAt = answer.retryAfter(at: now).map { now.addingTimeInterval($0.inSeconds) }
        switch answer.status {
        case 400:
            return .failure(
                .client, AppleServicesOutage(.refusedRequest, "Apple rejects the request as malformed: \(said)"))
        case 401: return .unauthorised(said)
        case 429:
            return .failure(.client, AppleServicesOutage(.quota, "Apple's limit is reached: \(said)", retryAt: retryAt))
        case 500...599: return .failure(.servers, AppleServicesOutage(.serverError, said, retryAt: retryAt))
        // What one request has brought about stops no other one.
        case 402...499: return unexpected(answer, "no documented status", .client)
        default: return unexpected(answer, "no documented status")
        }
    }

    private static func unexpected<Value>(
        _ answer: HTTPAnswer, _ found: String, _ side: FailureSide = .servers
    ) -> Reading<Value> {
        .failure(
            side,
            AppleServicesOutage(
                .unexpectedAnswer,
                "unexpected answer (\(answer.summary), \(found)); check for a proxy between this server and Apple"))
    }

    /// The only texts that messages quote. The body of an intermediary may repeat the request with its token.
    private static let texts = [
        "Incorrect Environment", "Bad Payload", "No Data Found",
        "Missing or incorrectly formatted device token payload", "Bad Device Token",
        "Missing or incorrectly formatted bits", "Missing or incorrectly formatted time stamp",
        "Missing or badly formatted authorization token", "Unable to verify authorization token",
        "Method Not Allowed", "Too Many Requests", "Server Error", "Service Unavailable",
    ]

    /// The documented text that an answer contains, else its size.
    private static func said(_ answer: HTTPAnswer) -> String {
        let found = words(answer)
        return texts.first { found.contains($0.lowercased()) } ?? "\(answer.body.count) bytes of another text"
    }

    private static func trimmed(_ body: [UInt8]) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        var text = body[...].drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return text
    }

    private static func words(_ answer: HTTPAnswer) -> String {
        String(decoding: trimmed(answer.body).prefix(textLimit), as: UTF8.self).lowercased()
    }
}
