import AssayTesting

/// Genuine classic tokens in every form that Google and apps produce, and oddities that do not make a token invalid.
extension IntegrityVectorMint {
    private func accept(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        classic(id, .accept, field, value)
    }

    var classicAccept: [VectorCase] {
        let nonces = ["nonce-padded", "nonce-in-the-standard-alphabet"].map { nonce("classic-\($0)-expected") }
        let token = nonce("classic-nonce-padded-in-the-token") + [0xFB, 0xFF]
        let standard = nonce("classic-nonce-in-the-standard-alphabet-in-the-token") + [0xFB, 0xFF]
        let jwk: JSONItem = ["kty": "oct", "k": "AAAA"]
        return [
            classic("genuine", .accept),
            classic("nonce-padded", .accept, nonce: Base64URL.padded(nonces[0] + [1])) {
                $0.payload[.nonce] = .text(Base64URL.text(nonces[0] + [1]))
            },
            classic(
                "nonce-in-the-standard-alphabet", .accept,
                nonce: Base64URL.standardAlphabet(Base64URL.padded(nonces[1] + [0xFB, 0xFF]))
            ) {
                $0.payload[.nonce] = .text(Base64URL.text(nonces[1] + [0xFB, 0xFF]))
            },
            classic("nonce-padded-in-the-token", .accept, nonce: Base64URL.text(token)) {
                $0.payload[.nonce] = .text(Base64URL.padded(token))
            },
            classic("nonce-in-the-standard-alphabet-in-the-token", .accept, nonce: Base64URL.text(standard)) {
                $0.payload[.nonce] = .text(Base64URL.standardAlphabet(Base64URL.padded(standard)))
            },
            classic("nonce-of-16-characters", .accept, nonce: "AAECAwQFBgcICQoL") {
                $0.payload[.nonce] = "AAECAwQFBgcICQoL"
            },
            classic("nonce-of-500-characters", .accept, nonce: String(repeating: "Az-_", count: 125)) {
                $0.payload[.nonce] = .text(String(repeating: "Az-_", count: 125))
            },
            accept("timestamp-as-number", .timestampMillis, .number(milliseconds(-1500).text.filter { $0 != "\"" })),
            accept("timestamp-at-the-past-end", .timestampMillis, milliseconds(-300_000)),
            accept("timestamp-at-the-future-end", .timestampMillis, milliseconds(60_000)),
            accept("version-code-as-number", .versionCode, 42),
            accept("version-code-beyond-32-bits", .versionCode, "9223372036854775807"),
            accept("certificate-of-either", .certificateSha256Digest, digests(digests.reversed())),
            accept("certificate-of-the-other", .certificateSha256Digest, digests([digests[1]])),
            classic("payload-with-white-space", .accept) {
                $0.changePayload = { Array(" \t\r\n".utf8) + $0 + Array("\n ".utf8) }
            },
            classic("payload-with-escaped-names", .accept) {
                $0.payload[.accountDetails] = .raw(#"{"app\u004cicensing\u0056erdict":"LICENSED"}"#)
            },
            classic("signature-with-high-s", .accept) {
                $0.changeSigned = { $0.writeSignature = { $0.withHighS.concatenated } }
            },
            classic("signature-with-low-s", .accept) {
                $0.changeSigned = { $0.writeSignature = { $0.withLowS.concatenated } }
            },
            classic("headers-with-other-members", .accept) {
                $0.changeSigned = { $0.header = ["typ": "JWT", "alg": "ES256", "kid": "1", "future": [1, true]] }
                $0.changeEncrypted = {
                    $0.header = ["cty": "JWT", "enc": "A256GCM", "alg": "A256KW", "kid": "1"]
                }
            },
            classic("headers-with-white-space", .accept) {
                $0.changeSigned = { $0.changeHeader = { [0x20] + $0 + [0x0A] } }
                $0.changeEncrypted = { $0.changeHeader = { [0x20] + $0 + [0x0A] } }
            },
            classic("encryption-header-with-key", .accept) { $0.changeEncrypted = { $0.header["jwk"] = jwk } },
            accept("account-empty", .accountDetails, [:]), accept("account-missing", .accountDetails, nil),
            accept("environment-empty", .environmentDetails, [:]),
            accept("environment-missing", .environmentDetails, nil),
            accept("environment-without-app-access-risk", .appAccessRiskVerdict, nil),
            accept("environment-with-empty-app-access-risk", .appAccessRiskVerdict, [:]),
            accept("activity-missing", .recentDeviceActivity, nil),
            accept("activity-level-4-of-which-nothing-is-demanded", .deviceActivityLevel, "LEVEL_4"),
            accept("testing-details-empty", .testingDetails, [:]),
            accept("testing-response-false", .isTestingResponse, false),
            accept("legacy-verdict", .legacyDeviceRecognitionVerdict, ["MEETS_BASIC_INTEGRITY"]),
            accept("recall-bits-of-which-nothing-is-demanded", .recallValues, ["bitFirst": true, "bitThird": true]),
            accept("recall-dates", .recallWriteDates, ["yyyymmFirst": 202609, "yyyymmThird": 202501]),
            accept("recall-empty", .deviceRecall, [:]),
            accept("location-list", .locationSpoofingRiskVerdict, ["LOW_RISK_DEVICE"]),
            accept("location-text", .locationSpoofingRiskVerdict, "LOW_RISK_DEVICE"),
            accept(
                "unknown-block", PlayIntegrityField("futureDetails"),
                ["verdict": "GOOD", "list": [1, .null, .number("2.5")]]),
            accept("unknown-field", PlayIntegrityField("deviceIntegrity", "futureSignal"), "HIGH"),
            accept(
                "unknown-device-label-beside-strong", .deviceRecognitionVerdict,
                ["MEETS_FUTURE_INTEGRITY", "MEETS_STRONG_INTEGRITY"]),
            accept("unknown-app-access-risk-is-noted", .appsDetected, ["FUTURE_RISK"]),
            accept("unknown-play-protect-is-noted", .playProtectVerdict, "FUTURE"),
            // Failures that the default modes only annotate.
            accept("unlicensed-is-noted", .appLicensingVerdict, "UNLICENSED"),
            accept("licensing-unevaluated-is-noted", .appLicensingVerdict, "UNEVALUATED"),
            accept("play-protect-risk-is-noted", .playProtectVerdict, "HIGH_RISK"),
            accept("app-access-risk-is-noted", .appsDetected, ["UNKNOWN_CONTROLLING"]),
            accept("location-risk-is-noted", .locationSpoofingRiskVerdict, ["HIGH_RISK_NETWORK"]),
        ]
    }

    private func digests(_ digests: [[UInt8]]) -> JSONItem { .array(digests.map { .text(Base64URL.text($0)) }) }
}
