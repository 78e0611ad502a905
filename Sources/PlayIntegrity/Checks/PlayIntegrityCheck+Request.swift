public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The payload is strict JSON of the documented schema.
    public static let playIntegrityPayload = CheckID("play-integrity.payload")
    /// The policy's app requested the token.
    public static let playIntegrityRequestPackage = CheckID("play-integrity.request-package")
    /// The token answers the nonce of this request.
    public static let playIntegrityNonce = CheckID("play-integrity.nonce")
    /// The app requested the token with the hash of this request.
    public static let playIntegrityRequestHash = CheckID("play-integrity.request-hash")
    /// The token is recent.
    public static let playIntegrityFreshness = CheckID("play-integrity.freshness")
    /// The answer is not a test response.
    public static let playIntegrityTestingResponse = CheckID("play-integrity.testing-response")
}

extension PlayIntegrityCheck {
    private var details: PlayIntegrityPayload.RequestDetails { payload.requestDetails }

    static let payloadEntry = CheckDefinition(
        .playIntegrityPayload, .gate,
        proves: "The payload is one strict JSON object in which every known field has its type.",
        stops: "Payloads that two readers understand differently, such as duplicate keys.",
        lookAt: "The field and byte in the detail; `platform` in the policy when the other form was found.",
        source: "RFC 8259; Google, Play Integrity API v1, TokenPayloadExternal, PcTokenPayloadExternal",
        remedy: .nothing, codes: CheckCode.ofDecoding)

    /// The payload, if its form is that of the app's platform: each platform has its own time field.
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

    static let requestPackageEntry = CheckDefinition(
        .playIntegrityRequestPackage, .gate,
        proves: "The app of the policy, which the request names, asked for the token.",
        stops: "Tokens that another app of the same owner asked for.",
        lookAt: "packageName in the policy and in the request; suffixes of build variants such as .debug.",
        source: verdicts,
        remedy: .updateApp, codes: [.packageNotExpected, .requestPackageMissing, .requestPackageDiffers])

    func requestPackage(_ named: String) throws(CheckFailure) {
        let expected = expectations.configuration.packageName
        guard named.isByteEqual(to: expected) else {
            throw CheckFailure(
                .packageNotExpected, "the request is for \(named.excerpt), the policy's app is \(expected)")
        }
        guard let found = details.requestPackageName else {
            throw CheckFailure(.requestPackageMissing, "the token does not say which app asked for it")
        }
        guard found.isByteEqual(to: expected) else {
            throw CheckFailure(
                .requestPackageDiffers, "\(found.excerpt) asked for the token, expected \(expected)")
        }
    }

    static let nonceEntry = CheckDefinition(
        .playIntegrityNonce, .gate,
        proves: "The token answers the nonce of this request, compared as bytes.",
        stops: "Replay of a token that was made for another request.",
        lookAt: "Whether the server compares the nonce that it issued; whether the app encoded it a second time.",
        source: verdicts,
        remedy: .newChallenge, codes: [.nonceMissing, .nonceMalformed, .nonceDiffers])

    /// The nonce decodes to the issued bytes. Google chooses alphabet and padding.
    func nonce(_ expected: [UInt8]) throws(CheckFailure) {
        guard let nonce = details.nonce else {
            throw CheckFailure(
                .nonceMissing,
                "the token has no nonce"
                    + (details.requestHash == nil ? "" : " but a request hash: it is a standard token"))
        }
        guard let bytes = AnyBase64.decode(nonce) else {
            throw CheckFailure(.nonceMalformed, "the nonce of the token is no base64: \(nonce.excerpt)")
        }
        guard bytes == expected else {
            throw CheckFailure(.nonceDiffers, "the token answers another nonce, \(nonce.excerpt)")
        }
    }

    static let requestHashEntry = CheckDefinition(
        .playIntegrityRequestHash, .gate,
        proves: "The app asked for the token with the hash of this request, compared exactly.",
        stops: "A token that is passed along with another request.",
        lookAt: "Whether app and server hash the same bytes and write the hash in the same form.",
        source: verdicts,
        remedy: .retry, codes: [.requestHashMissing, .requestHashDiffers])

    func requestHash(_ expected: String) throws(CheckFailure) {
        guard let found = details.requestHash else {
            throw CheckFailure(
                .requestHashMissing,
                "the token was asked for without a request hash"
                    + (details.nonce == nil ? "" : " but with a nonce: it is a classic token"))
        }
        guard !expected.isEmpty, found.isByteEqual(to: expected) else {
            throw CheckFailure(.requestHashDiffers, "the token was asked for with the hash \(found.excerpt)")
        }
    }

    static let freshnessEntry = CheckDefinition(
        .playIntegrityFreshness, .gate,
        proves: "The token is no older and no further ahead than the policy's window, both ends included.",
        stops: "Tokens that were collected earlier.",
        lookAt: "`freshness` in the policy, the server's clock, and how long the app keeps its token.",
        source: verdicts,
        remedy: .retry, codes: [.timeMissing, .timeOutOfRange, .tooOld, .tooFarAhead])

    /// The token's time is inside the policy's window, ends included, to the millisecond. The time of judgement is
    /// rounded to milliseconds, as in verdicts, to be comparable with the token's time.
    func freshness() throws(CheckFailure) -> Int64 {
        guard let madeAt = details.milliseconds else {
            throw CheckFailure(.timeMissing, "the token does not say when it was made")
        }
        let window = expectations.configuration.freshness
        guard let present = Int64(exactly: (now.timeIntervalSince1970 * 1000).rounded()) else {
            throw CheckFailure(.timeOutOfRange, "the time of judgement is beyond all time that tokens can name")
        }
        let (age, isBeyondRange) = present.subtractingReportingOverflow(madeAt)
        guard !isBeyondRange, age <= window.pastMilliseconds, age >= -window.futureMilliseconds else {
            let isOld = isBeyondRange ? present > madeAt : age > 0
            let (limit, direction) = isOld ? (window.pastMilliseconds, "back") : (window.futureMilliseconds, "ahead")
            let distance = isBeyondRange ? "" : ", \(Self.seconds(age.magnitude)) \(isOld ? "after" : "before") that"
            throw CheckFailure(
                isOld ? .tooOld : .tooFarAhead,
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

    static let testingResponseEntry = CheckDefinition(
        .playIntegrityTestingResponse, .gate,
        proves: "The answer is Google's own, and not one that the owner of the Play Console chose for a tester.",
        stops: "Answers whose labels a developer has chosen for a test.",
        lookAt: "The list of testers of the app in the Play Console; `testResponses` in the policy.",
        source: "Google, Play Integrity API, Test different integrity verdict responses",
        remedy: .nothing, codes: [.testingResponse])

    /// The answer is not a test response configured in the console, unless the policy allows those.
    func testingResponse() throws(CheckFailure) {
        guard payload.isTestingResponse != true || expectations.configuration.testResponses == .allow else {
            throw CheckFailure(
                .testingResponse,
                "the answer was set up in the Play Console for a tester, and says nothing genuine; the policy says testResponses: refuse"
            )
        }
    }

    /// What stands behind an allowed test response in place of Google's judgement; nil for another payload.
    var testAuthority: String? {
        payload.isTestingResponse == true && expectations.configuration.testResponses == .allow
            ? "the test responses of the Play Console" : nil
    }
}

extension CheckCode {
    fileprivate static let packageNotExpected = CheckCode(
        "package-not-expected",
        "The request names another package than the policy's app: check which app the record or the caller names.",
        remedy: .nothing)
    fileprivate static let requestPackageMissing = CheckCode(
        "request-package-missing",
        "The token does not name the app that asked for it: Google decoded a token without request details.",
        remedy: .nothing)
    fileprivate static let requestPackageDiffers = CheckCode(
        "request-package-differs",
        "Another app asked for the token: compare packageName with the application ID of the build variant.")
    fileprivate static let nonceMissing = CheckCode(
        "nonce-missing",
        "The token has no nonce; with a request hash it is a standard token that was sent as a classic one.")
    fileprivate static let nonceMalformed = CheckCode(
        "nonce-malformed", "The nonce in the token is no base64: the app encodes it in another way.")
    fileprivate static let nonceDiffers = CheckCode(
        "nonce-differs", "The token answers another nonce: a replay, or an app that encodes the nonce a second time.")
    fileprivate static let requestHashMissing = CheckCode(
        "request-hash-missing",
        "The app asked for the token without a request hash; with a nonce it is a classic token.")
    fileprivate static let requestHashDiffers = CheckCode(
        "request-hash-differs", "The token was made for another request, or app and server do not hash the same bytes.")
    fileprivate static let timeMissing = CheckCode(
        "time-missing", "The token does not state when it was made: no genuine token omits it.", remedy: .nothing)
    fileprivate static let timeOutOfRange = CheckCode(
        "time-out-of-range", "The time of judgement cannot be written in milliseconds: correct the clock or `--at`.",
        remedy: .nothing)
    fileprivate static let tooOld = CheckCode(
        "too-old",
        "The token was made before the freshness window: a replay, a slow client, or `--as-captured` is needed.")
    fileprivate static let tooFarAhead = CheckCode(
        "too-far-ahead", "The token was made after the time of judgement: check the server's clock, or `--at`.")
    fileprivate static let testingResponse = CheckCode(
        "testing-response",
        "The owner of the Play Console chose this answer for a tester, so that it states nothing genuine.")
}
