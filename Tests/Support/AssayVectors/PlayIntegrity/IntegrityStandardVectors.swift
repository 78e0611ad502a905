import AssayTesting
import FoundationEssentials

/// Answers of Google's decode call for standard tokens.
extension IntegrityVectorMint {
    private func answer(_ id: String, _ change: @escaping @Sendable (inout JSONItem) -> Void) -> VectorCase {
        standard("answer-\(id)", .reject("decode")) { $0.changeAnswer = change }
    }

    private func reject(_ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        standard(id, .reject(check), field, value)
    }

    var standardAccept: [VectorCase] {
        let long = String(repeating: "é", count: 250)
        return [
            standard("genuine", .accept),
            standard("timestamp-at-the-past-end", .accept, .timestampMillis, milliseconds(-300_000)),
            standard("timestamp-at-the-future-end", .accept, .timestampMillis, milliseconds(60_000)),
            standard(
                "timestamp-as-number", .accept, .timestampMillis,
                .number(milliseconds(-1500).text.filter { $0 != "\"" })),
            standard("unknown-block", .accept, PlayIntegrityField("futureDetails"), ["verdict": "GOOD"]),
            standard("environment-empty", .accept, .environmentDetails, [:]),
            standard("account-missing", .accept, .accountDetails, nil),
            standard("request-hash-of-one-character", .accept, requestHash: "x") { $0.payload[.requestHash] = "x" },
            standard("request-hash-of-500-bytes", .accept, requestHash: long) {
                $0.payload[.requestHash] = .text(long)
            },
            standard("request-hash-of-json", .accept, requestHash: "{\"a\": [1, \"\\\"\"]}") {
                $0.payload[.requestHash] = "{\"a\": [1, \"\\\"\"]}"
            },
            standard("recall-bits", .accept, .recallValues, ["bitFirst": true]),
        ]
    }

    var standardDecode: [VectorCase] {
        func error(_ id: String, _ error: JSONItem) -> VectorCase { answer("error-\(id)") { $0 = error } }
        return [
            answer("empty") { $0 = [:] }, answer("payload-alone") { $0 = $0["tokenPayloadExternal"] ?? [:] },
            answer("payload-null") { $0["tokenPayloadExternal"] = .null },
            answer("payload-as-list") { $0["tokenPayloadExternal"] = [$0["tokenPayloadExternal"] ?? [:]] },
            answer("payload-as-text") { $0["tokenPayloadExternal"] = .text($0["tokenPayloadExternal"]?.text ?? "") },
            answer("payload-under-another-name") { $0 = ["tokenPayload": $0["tokenPayloadExternal"] ?? [:]] },
            answer("in-an-answer") { $0 = ["tokenPayloadExternal": .null, "answer": $0] },
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

    var standardPayload: [VectorCase] {
        [
            standard("payload-nonce-and-request-hash", "payload", .nonce, "AAAAAAAAAAAAAAAA"),
            standard("payload-both-times", "payload", .requestTime, "2026-09-21T12:00:00Z"),
            standard("payload-timestamp-overflow", "payload", .timestampMillis, "9223372036854775808"),
            standard("payload-timestamp-negative", "payload", .timestampMillis, "-1"),
            standard("payload-timestamp-fractional", "payload", .timestampMillis, .number("1.5")),
            standard("payload-timestamp-signed", "payload", .timestampMillis, "+1"),
            standard("payload-request-hash-as-number", "payload", .requestHash, 1),
            standard("payload-device-verdict-as-text", "payload", .deviceRecognitionVerdict, "MEETS_STRONG_INTEGRITY"),
            standard("payload-testing-response-as-text", "payload", .isTestingResponse, "true"),
            // An answer of another Google call, judged under a policy for Android.
            standard("payload-of-pc", .reject("payload")) {
                let pc = pc("standard-payload-of-pc").payload
                $0.payload = pc
            },
        ]
    }

    var standardRequest: [VectorCase] {
        let text = requestHash("standard-expected")
        func hash(_ id: String, _ value: JSONItem?, expected: String? = nil) -> VectorCase {
            standard("request-hash-\(id)", .reject("request-hash"), requestHash: expected ?? text) {
                $0.payload[.requestHash] = value
            }
        }
        return [
            standard("request-package-another", "request-package", .requestPackageName, "com.example.other"),
            standard("request-package-missing", "request-package", .requestPackageName, nil),
            standard(
                "request-package-not-the-expected-one", .reject("request-package"),
                packageName: Self.otherPackageName),
            hash("of-another-request", .text(requestHash("other"))), hash("missing", nil), hash("empty", ""),
            hash("shorter", .text(String(text.dropLast()))), hash("longer", .text(text + "A")),
            hash("padded", .text(text + "=")), hash("with-line-feed", .text(text + "\n")),
            hash("in-other-case", .text(text.lowercased())),
            // The same text in Unicode, but other bytes.
            hash("composed-differently", "e\u{301}", expected: "\u{E9}"),
            standard("request-hash-in-the-nonce", .reject("request-hash"), requestHash: "AAAAAAAAAAAAAAAA") {
                $0.payload[.requestHash] = nil
                $0.payload[.nonce] = "AAAAAAAAAAAAAAAA"
            },
            standard("time-a-millisecond-too-old", "freshness", .timestampMillis, milliseconds(-300_001)),
            standard("time-a-millisecond-too-early", "freshness", .timestampMillis, milliseconds(60_001)),
            standard("time-missing", "freshness", .timestampMillis, nil),
            standard("time-greatest-number", "freshness", .timestampMillis, "9223372036854775807"),
            standard("testing-response", "testing-response", .isTestingResponse, true),
        ]
    }

    var standardPolicy: [VectorCase] {
        [
            standard("app-unrecognized", "app-recognition", .appRecognitionVerdict, "UNRECOGNIZED_VERSION"),
            standard("app-package-another", "app-package", .packageName, "com.example.other"),
            standard("certificate-list-empty", "certificate", .certificateSha256Digest, []),
            standard("version-code-one-too-low", "version-code", .versionCode, "41"),
            standard("device-not-strong", "device-recognition", .deviceRecognitionVerdict, ["MEETS_DEVICE_INTEGRITY"]),
            // Google clears the verdicts of a token that it decodes again.
            standard(
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

    var strictStandardPolicy: [VectorCase] {
        func strict(_ id: String, _ check: String?, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            standard("strict-\(id)", check.map { .reject($0) } ?? .accept) {
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
