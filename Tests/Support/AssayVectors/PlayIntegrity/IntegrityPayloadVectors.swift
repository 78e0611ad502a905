import AssayTesting

/// Classic tokens with a valid signature whose payload is not strict JSON or not of the schema.
extension IntegrityVectorMint {
    var classicPayloadSchema: [VectorCase] { numbers + types + pairs }

    private func payload(_ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> VectorCase {
        classic("payload-\(id)", .reject("payload")) { $0.changePayload = change }
    }

    private func payload(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        classic("payload-\(id)", .reject("payload"), field, value)
    }

    private func nested(_ depth: Int) -> JSONItem {
        .raw(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    }

    var classicPayloadJson: [VectorCase] {
        let objects = String(repeating: #"{"x":"#, count: 5000) + "1" + String(repeating: "}", count: 5000)
        func text(_ id: String, _ bytes: [UInt8]) -> VectorCase {
            payload(id) { $0.dropLast() + Array(#","x":""#.utf8) + bytes + [0x22, 0x7D] }
        }
        return [
            payload("empty") { _ in [] }, payload("white-space") { _ in Array(" \n".utf8) },
            payload("in-array") { [0x5B] + $0 + [0x5D] }, payload("as-text") { _ in Array(#""{}""#.utf8) },
            payload("null") { _ in Array("null".utf8) }, payload("number") { _ in [0x31] },
            payload("truncated") { $0.dropLast() }, payload("with-trailing-byte") { $0 + [0x7D] },
            payload("with-trailing-nul") { $0 + [0] }, payload("twice") { $0 + $0 },
            payload("with-trailing-comma") { $0.dropLast() + [0x2C, 0x7D] },
            payload("with-leading-comma") { [0x7B, 0x2C] + $0.dropFirst() },
            payload("with-comment") { $0 + Array("// x".utf8) },
            payload("list-with-trailing-comma", .appsDetected, .raw(#"["KNOWN_INSTALLED",]"#)),
            payload("in-single-quotes", .playProtectVerdict, .raw("'NO_ISSUES'")),
            payload("with-not-a-number", PlayIntegrityField("future"), .raw("NaN")),
            payload("with-infinity", PlayIntegrityField("future"), .raw("-Infinity")),
            payload("with-leading-zero", PlayIntegrityField("future"), .raw("01")),
            payload("with-leading-plus", PlayIntegrityField("future"), .raw("+1")),
            payload("with-true-in-upper-case", .isTestingResponse, .raw("True")),
            payload("arrays-nested-5000-deep", PlayIntegrityField("future"), nested(5000)),
            payload("objects-nested-5000-deep", PlayIntegrityField("future"), .raw(objects)),
            payload("nested-5000-deep-and-open") { _ in [UInt8](repeating: 0x5B, count: 5000) },
            payload(
                "block-twice", PlayIntegrityField("accountDetails"),
                .raw(#"{"appLicensingVerdict":"UNLICENSED"},"accountDetails":{"appLicensingVerdict":"LICENSED"}"#)),
            payload("field-twice", .accountDetails, .raw(#"{"appLicensingVerdict":"A","appLicensingVerdict":"B"}"#)),
            payload(
                "field-twice-with-equal-values", .accountDetails,
                .raw(#"{"appLicensingVerdict":"LICENSED","appLicensingVerdict":"LICENSED"}"#)),
            payload(
                "field-twice-with-escape", .accountDetails,
                .raw(#"{"appLicensingVerdict":"UNLICENSED","app\u004cicensingVerdict":"LICENSED"}"#)),
            payload(
                "field-twice-with-both-escaped", .accountDetails,
                .raw(#"{"app\u004CicensingVerdict":"UNLICENSED","app\u004cicensingVerdict":"LICENSED"}"#)),
            payload("unknown-field-twice", PlayIntegrityField("future"), .raw(#"{"x":1,"x":1}"#)),
            payload("unknown-field-twice-in-a-list", PlayIntegrityField("future"), .raw(#"[{"x":1,"\u0078":1}]"#)),
            payload("empty-name-twice", PlayIntegrityField("future"), .raw(#"{"":1,"":1}"#)),
            payload(
                "timestamp-twice", .requestDetails,
                .raw(
                    #"{"requestPackageName":"com.example.vectors","timestampMillis":"1","nonce":"AAAAAAAAAAAAAAAA","#
                        + #""timestamp\u004dillis":\#(milliseconds(-1000).text)}"#)),
            payload("with-byte-order-mark") { [0xEF, 0xBB, 0xBF] + $0 },
            payload("in-utf-16") { $0.flatMap { [0x00, $0] } },
            payload("in-utf-16-with-mark") { [0xFF, 0xFE] + $0.flatMap { [$0, 0x00] } },
            text("with-invalid-byte", [0xFF]), text("with-lone-continuation", [0x80]),
            text("with-sequence-cut-short", [0xE2, 0x82]), text("with-overlong-form", [0xC0, 0xAF]),
            text("with-surrogate-in-utf-8", [0xED, 0xA0, 0x80]), text("beyond-unicode", [0xF4, 0x90, 0x80, 0x80]),
            text("with-lone-surrogate-escape", Array(#"\ud800"#.utf8)),
            text("with-surrogates-exchanged", Array(#"\udc00\ud800"#.utf8)),
            text("with-unknown-escape", Array(#"\x41"#.utf8)), text("with-escape-cut-short", Array(#"\u00"#.utf8)),
            text("with-raw-line-feed", [0x0A]), text("with-raw-nul", [0x00]),
        ]
    }

    /// Values other than an exact whole number in range, in numeric fields.
    private var numbers: [VectorCase] {
        let forms: [(String, JSONItem)] = [
            ("overflow-as-text", "9223372036854775808"), ("overflow", .number("9223372036854775808")),
            ("huge", .number(String(repeating: "9", count: 400))), ("negative-as-text", "-1"), ("negative", -1),
            ("minus-zero", .number("-0")), ("signed", "+1795132798500"), ("fractional", .number("1795132798500.0")),
            ("fractional-as-text", "1795132798500.5"), ("exponent", .number("1e12")), ("exponent-as-text", "1e12"),
            ("leading-zero", "01795132798500"), ("empty", ""), ("spaced", " 1795132798500"), ("with-line-feed", "1\n"),
            ("hexadecimal", "0x1A2"), ("digits-of-another-script", "١٢٣"), ("boolean", true),
            ("list", ["1795132798500"]), ("object", [:]),
        ]
        return forms.flatMap { name, value in
            [
                payload("timestamp-\(name)", .timestampMillis, value),
                payload("version-code-\(name)", .versionCode, value),
            ]
        } + [
            payload("sdk-version-beyond-32-bits", .sdkVersion, 2_147_483_648),
            payload("sdk-version-fractional", .sdkVersion, .number("33.5")),
            payload("sdk-version-exponent", .sdkVersion, .number("3e1")),
            payload("sdk-version-negative", .sdkVersion, -33), payload("sdk-version-boolean", .sdkVersion, true),
            payload("recall-date-fractional", .yyyymmFirst, .number("202609.5")),
            payload("recall-date-boolean", .yyyymmSecond, false),
        ]
    }

    private var types: [VectorCase] {
        let wrong: [(PlayIntegrityField, JSONItem)] = [
            (.requestDetails, []), (.requestPackageName, 1), (.nonce, [:]), (.appIntegrity, "PLAY_RECOGNIZED"),
            (.appRecognitionVerdict, ["PLAY_RECOGNIZED"]), (.packageName, true), (.certificateSha256Digest, "AAAA"),
            (.certificateSha256Digest, [1]), (.deviceIntegrity, []), (.deviceRecognitionVerdict, [1]),
            (.deviceRecognitionVerdict, ["MEETS_STRONG_INTEGRITY": true]),
            (.deviceRecognitionVerdict, "MEETS_STRONG_INTEGRITY"), (.legacyDeviceRecognitionVerdict, 1),
            (.recentDeviceActivity, "LEVEL_1"), (.deviceActivityLevel, 1), (.deviceAttributes, [36]),
            (.deviceRecall, true), (.recallValues, []), (.bitFirst, "true"), (.bitSecond, 1), (.bitThird, .number("0")),
            (.recallWriteDates, 202609), (.accountDetails, "LICENSED"), (.appLicensingVerdict, ["LICENSED"]),
            (.environmentDetails, []), (.appAccessRiskVerdict, ["KNOWN_INSTALLED"]), (.appsDetected, "KNOWN_INSTALLED"),
            (.appsDetected, [["KNOWN_INSTALLED"]]), (.playProtectVerdict, 0), (.locationSpoofingRiskVerdict, 1),
            (.testingDetails, true), (.isTestingResponse, "false"), (.isTestingResponse, 0),
        ]
        return wrong.enumerated().map { index, pair in
            payload("type-\(index)-\(pair.0.path.last ?? "")", pair.0, pair.1)
        }
    }

    private var pairs: [VectorCase] {
        [
            payload("nonce-and-request-hash", .requestHash, "aGVsbG8"),
            payload("nonce-and-empty-request-hash", .requestHash, ""),
            payload("both-times", .requestTime, "2026-09-21T12:00:00Z"),
        ]
    }
}
