import AssayCore
import AssayPrimitives
import FoundationEssentials

/// What must hold of the request that a token answers, each check in a function of its own.
struct RequestChecks {
    let payload: PlayIntegrityPayload
    let expectations: PlayIntegrityExpectations
    let now: Date

    private var details: PlayIntegrityPayload.RequestDetails { payload.requestDetails }

    /// The payload, when its form is that of the app's platform: the two tell the time in fields of their own.
    static func form(
        _ payload: PlayIntegrityPayload, in object: RecordObject, _ configuration: PlayIntegrityConfiguration
    ) throws(DecodeError) -> PlayIntegrityPayload {
        let (isOther, field) =
            switch configuration.platform {
            case .android: (payload.requestDetails.requestTime != nil, "requestTime")
            case .pc: (payload.requestDetails.timestampMillis != nil, "timestampMillis")
            }
        guard !isOther else {
            throw DecodeError(
                .unexpected, at: object["requestDetails"]?.offset ?? object.offset, field: "requestDetails.\(field)",
                "the policy says platform \(configuration.platform.rawValue), and \(field) stands only in payloads of "
                    + "the other one")
        }
        return payload
    }

    /// The app of the policy asked for the token, and it is the one that the request names.
    func requestPackage(_ named: String) throws(CheckFailure) {
        let expected = expectations.configuration.packageName
        guard named.isByteEqual(to: expected) else {
            throw CheckFailure(
                "package-not-expected", "the request is for \(named.excerpt), the policy's app is \(expected)")
        }
        guard let found = details.requestPackageName else {
            throw CheckFailure("request-package-missing", "the token does not say which app asked for it")
        }
        guard found.isByteEqual(to: expected) else {
            throw CheckFailure(
                "request-package-differs", "\(found.excerpt) asked for the token, expected \(expected)")
        }
    }

    /// The nonce stands for the bytes that were given out; alphabet and padding are Google's to choose.
    func nonce(_ expected: [UInt8]) throws(CheckFailure) {
        guard let nonce = details.nonce else {
            throw CheckFailure(
                "nonce-missing",
                "the token has no nonce"
                    + (details.requestHash == nil ? "" : " but a request hash: it is a standard token"))
        }
        guard let bytes = AnyBase64.decode(nonce) else {
            throw CheckFailure("nonce-malformed", "the nonce of the token is no base64: \(nonce.excerpt)")
        }
        guard bytes == expected else {
            throw CheckFailure("nonce-differs", "the token answers another nonce, \(nonce.excerpt)")
        }
    }

    /// The hash is the text that was given to Google, byte for byte.
    func requestHash(_ expected: String) throws(CheckFailure) {
        guard let found = details.requestHash else {
            throw CheckFailure(
                "request-hash-missing",
                "the token was asked for without a request hash"
                    + (details.nonce == nil ? "" : " but with a nonce: it is a classic token"))
        }
        guard !expected.isEmpty, found.isByteEqual(to: expected) else {
            throw CheckFailure("request-hash-differs", "the token was asked for with the hash \(found.excerpt)")
        }
    }

    /// The token was made inside the policy's window, whose ends are included, to the millisecond.
    ///
    /// The time of judgement is rounded to milliseconds, as verdicts write it, so that they can be held against tokens.
    func freshness() throws(CheckFailure) -> Int64 {
        guard let madeAt = details.milliseconds else {
            throw CheckFailure("time-missing", "the token does not say when it was made")
        }
        let window = expectations.configuration.freshness
        guard let present = Int64(exactly: (now.timeIntervalSince1970 * 1000).rounded()) else {
            throw CheckFailure("time-out-of-range", "the time of judgement is beyond all time that tokens can name")
        }
        let (age, isBeyondRange) = present.subtractingReportingOverflow(madeAt)
        guard !isBeyondRange, age <= window.pastMilliseconds, age >= -window.futureMilliseconds else {
            let isOld = isBeyondRange ? present > madeAt : age > 0
            let (limit, direction) = isOld ? (window.pastMilliseconds, "back") : (window.futureMilliseconds, "ahead")
            let distance = isBeyondRange ? "" : ", \(Self.seconds(age.magnitude)) \(isOld ? "after" : "before") that"
            throw CheckFailure(
                isOld ? "too-old" : "too-far-ahead",
                "the token was made at \(Self.text(madeAt)) and judged at \(Self.text(present))\(distance); allowed are "
                    + "\(Self.seconds(limit.magnitude)) \(direction)")
        }
        return madeAt
    }

    private static func seconds(_ milliseconds: UInt64) -> String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }

    private static func text(_ milliseconds: Int64) -> String {
        RFC3339.format(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    /// The answer was not chosen in the console for a tester.
    func testingResponse() throws(CheckFailure) {
        guard payload.isTestingResponse != true else {
            throw CheckFailure(
                "testing-response", "the answer was set up in the Play Console for a tester, and says nothing genuine")
        }
    }
}
