import AssayTesting
import FoundationEssentials

/// Answers of Google's decode call on standard tokens.
struct IntegrityStandardVectors: VectorGroup {
    let mint: IntegrityVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [
            mint.file("standard-accept.json", accepted),
            mint.file("standard-decode.json", answers + errors),
            mint.file("standard-payload.json", payloads),
            mint.file("standard-request.json", packages + hashes + times + testing),
            mint.file("standard-policy.json", policy),
            mint.file("strict/standard-policy.json", strict),
        ]
    }

    private func answer(_ id: String, _ change: @escaping @Sendable (inout JSONItem) -> Void) -> StandardCase {
        StandardCase("answer-\(id)", .reject("decode")) { $0.changeAnswer = change }
    }

    private func reject(_ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> StandardCase
    {
        StandardCase(id, .reject(check), field, value)
    }

    private var accepted: [StandardCase] {
        let long = String(repeating: "é", count: 250)
        return [
            StandardCase("genuine", .accept),
            StandardCase("timestamp-at-the-past-end", .accept, .timestampMillis, mint.milliseconds(-300_000)),
            StandardCase("timestamp-at-the-future-end", .accept, .timestampMillis, mint.milliseconds(60_000)),
            StandardCase(
                "timestamp-as-number", .accept, .timestampMillis,
                .number(mint.milliseconds(-1500).text.filter { $0 != "\"" })),
            StandardCase("unknown-block", .accept, PlayIntegrityField("futureDetails"), ["verdict": "GOOD"]),
            StandardCase("environment-empty", .accept, .environmentDetails, [:]),
            StandardCase("account-missing", .accept, .accountDetails, nil),
            StandardCase("request-hash-of-one-character", .accept, requestHash: "x") {
                $0.payload[.requestHash] = "x"
            },
            StandardCase("request-hash-of-500-bytes", .accept, requestHash: long) {
                $0.payload[.requestHash] = .text(long)
            },
            StandardCase("request-hash-of-json", .accept, requestHash: "{\"a\": [1, \"\\\"\"]}") {
                $0.payload[.requestHash] = "{\"a\": [1, \"\\\"\"]}"
            },
            StandardCase("recall-bits", .accept, .recallValues, ["bitFirst": true]),
        ]
    }

    private var answers: [StandardCase] {
        [
            answer("empty") { $0 = [:] }, answer("payload-alone") { $0 = $0["tokenPayloadExternal"] ?? [:] },
            answer("payload-null") { $0["tokenPayloadExternal"] = .null },
            answer("payload-as-list") { $0["tokenPayloadExternal"] = [$0["tokenPayloadExternal"] ?? [:]] },
            answer("payload-as-text") { $0["tokenPayloadExternal"] = .text($0["tokenPayloadExternal"]?.text ?? "") },
            answer("payload-under-another-name") {
                $0 = ["tokenPayload": $0["tokenPayloadExternal"] ?? [:]]
            },
            answer("in-an-answer") { $0 = ["tokenPayloadExternal": .null, "answer": $0] },
        ]
    }

    private var errors: [StandardCase] {
        func error(_ id: String, _ error: JSONItem) -> StandardCase { answer("error-\(id)") { $0 = error } }
        return [
            error(
                "invalid-argument",
                StandardAnswerBlueprint.error(
                    code: 400, message: "Integrity token cannot be decrypted due to invalid arguments.",
                    status: "INVALID_ARGUMENT")),
            error(
                "permission-denied",
                StandardAnswerBlueprint.error(
                    code: 403, message: "The caller does not have permission", status: "PERMISSION_DENIED")),
            error("empty", ["error": [:]]), error("text", ["error": "invalid"]),
            error("with-control-characters", ["error": ["message": "\u{1B}[2J\u{0}", "code": 400, "status": "X"]]),
            answer("error-beside-a-payload") {
                $0["error"] = ["code": 400, "message": "no", "status": "INVALID_ARGUMENT"]
            },
        ]
    }

    private var payloads: [StandardCase] {
        [
            reject("payload-nonce-and-request-hash", "payload", .nonce, "AAAAAAAAAAAAAAAA"),
            reject("payload-both-times", "payload", .requestTime, "2026-09-21T12:00:00Z"),
            reject("payload-timestamp-overflow", "payload", .timestampMillis, "9223372036854775808"),
            reject("payload-timestamp-negative", "payload", .timestampMillis, "-1"),
            reject("payload-timestamp-fractional", "payload", .timestampMillis, .number("1.5")),
            reject("payload-timestamp-signed", "payload", .timestampMillis, "+1"),
            reject("payload-request-hash-as-number", "payload", .requestHash, 1),
            reject("payload-device-verdict-as-text", "payload", .deviceRecognitionVerdict, "MEETS_STRONG_INTEGRITY"),
            reject("payload-testing-response-as-text", "payload", .isTestingResponse, "true"),
            // What another of Google's calls answers: judged under a policy for Android.
            StandardCase("payload-of-pc", .reject("payload")) { [mint] in
                let pc = mint.pc("standard-payload-of-pc").payload
                $0.payload = pc
            },
        ]
    }

    private var packages: [StandardCase] {
        [
            reject("request-package-another", "request-package", .requestPackageName, "com.example.other"),
            reject("request-package-missing", "request-package", .requestPackageName, nil),
            StandardCase(
                "request-package-not-the-expected-one", .reject("request-package"),
                packageName: IntegrityVectorMint.otherPackageName),
        ]
    }

    private var hashes: [StandardCase] {
        let text = mint.requestHash("standard-expected")
        func hash(_ id: String, _ value: JSONItem?, expected: String? = nil) -> StandardCase {
            StandardCase("request-hash-\(id)", .reject("request-hash"), requestHash: expected ?? text) {
                $0.payload[.requestHash] = value
            }
        }
        return [
            hash("of-another-request", .text(mint.requestHash("other"))), hash("missing", nil), hash("empty", ""),
            hash("shorter", .text(String(text.dropLast()))), hash("longer", .text(text + "A")),
            hash("padded", .text(text + "=")), hash("with-line-feed", .text(text + "\n")),
            hash("in-other-case", .text(text.lowercased())),
            // The same text to Unicode, and other bytes.
            hash("composed-differently", "e\u{301}", expected: "\u{E9}"),
            StandardCase("request-hash-in-the-nonce", .reject("request-hash"), requestHash: "AAAAAAAAAAAAAAAA") {
                $0.payload[.requestHash] = nil
                $0.payload[.nonce] = "AAAAAAAAAAAAAAAA"
            },
        ]
    }

    private var times: [StandardCase] {
        [
            reject("time-a-millisecond-too-old", "freshness", .timestampMillis, mint.milliseconds(-300_001)),
            reject("time-a-millisecond-too-early", "freshness", .timestampMillis, mint.milliseconds(60_001)),
            reject("time-missing", "freshness", .timestampMillis, nil),
            reject("time-greatest-number", "freshness", .timestampMillis, "9223372036854775807"),
        ]
    }

    private var testing: [StandardCase] {
        [reject("testing-response", "testing-response", .isTestingResponse, true)]
    }

    private var policy: [StandardCase] {
        [
            reject("app-unrecognized", "app-recognition", .appRecognitionVerdict, "UNRECOGNIZED_VERSION"),
            reject("app-package-another", "app-package", .packageName, "com.example.other"),
            reject("certificate-list-empty", "certificate", .certificateSha256Digest, []),
            reject("version-code-one-too-low", "version-code", .versionCode, "41"),
            reject("device-not-strong", "device-recognition", .deviceRecognitionVerdict, ["MEETS_DEVICE_INTEGRITY"]),
            // Google clears the verdicts of a token that it decodes once more.
            StandardCase(
                "decoded-twice",
                .reject("app-recognition", "app-package", "certificate", "version-code", "device-recognition")
            ) {
                $0.payload[.appIntegrity] = ["appRecognitionVerdict": "UNEVALUATED"]
                $0.payload[.deviceIntegrity] = [:]
                $0.payload[.accountDetails] = ["appLicensingVerdict": "UNEVALUATED"]
                $0.payload[.environmentDetails] = [:]
            },
        ]
    }

    private var strict: [StandardCase] {
        func strict(_ id: String, _ check: String?, _ field: PlayIntegrityField, _ value: JSONItem?) -> StandardCase {
            StandardCase("strict-\(id)", check.map { .reject($0) } ?? .accept) {
                $0.payload[.recallValues] = ["bitFirst": false, "bitThird": false]
                $0.payload[.locationSpoofingRiskVerdict] = ["LOW_RISK_DEVICE"]
                $0.payload[field] = value
            }
        }
        return [
            strict("genuine", nil, .sdkVersion, 36), strict("sdk-29", "sdk-version", .sdkVersion, 29),
            strict("activity-level-3", "device-activity", .deviceActivityLevel, "LEVEL_3"),
            strict("recall-first-bit", "device-recall", .bitFirst, true),
            strict("unlicensed", "licensing", .appLicensingVerdict, "UNLICENSED"),
            strict("play-protect-high-risk", "play-protect", .playProtectVerdict, "HIGH_RISK"),
            strict("access-risk-overlays", "app-access-risk", .appsDetected, ["UNKNOWN_OVERLAYS"]),
            strict("location-high-risk", "location-spoofing", .locationSpoofingRiskVerdict, ["HIGH_RISK_NETWORK"]),
        ]
    }
}
