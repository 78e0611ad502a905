import AssayCore
import AssayTesting
import FoundationEssentials

/// Answers of Google's decode call for Google Play Games on PC.
extension IntegrityVectorMint {
    private func pc(_ id: String, _ outcome: VectorOutcome, _ field: PlayIntegrityField, _ value: JSONItem?)
        -> VectorCase
    { standard(id, outcome, isPC: true, field, value) }

    private func time(milliseconds: Double) -> JSONItem {
        .text(RFC3339.format(time.addingTimeInterval(milliseconds / 1000)))
    }

    var pcStandardAccept: [VectorCase] {
        let label = "MEETS_PC_INTEGRITY"
        return [
            standard("genuine", .accept, isPC: true),
            pc("time-at-the-past-end", .accept, .requestTime, time(milliseconds: -300_000)),
            pc("time-at-the-future-end", .accept, .requestTime, time(milliseconds: 60_000)),
            pc("label-beside-an-unknown-one", .accept, .deviceRecognitionVerdict, ["MEETS_FUTURE", .text(label)]),
            pc("unknown-block", .accept, PlayIntegrityField("futureDetails"), ["verdict": "GOOD"]),
            pc("account-details", .accept, .accountDetails, ["appLicensingVerdict": "LICENSED"]),
            pc("testing-response-false", .accept, .isTestingResponse, false),
        ]
    }

    var pcStandardDecode: [VectorCase] {
        let android = standard("pc-payload-of-android").payload
        func time(_ id: String, _ value: JSONItem) -> VectorCase {
            pc("payload-time-\(id)", .reject("payload"), .requestTime, value)
        }
        return [
            standard("answer-empty", .reject("decode"), isPC: true) { $0.changeAnswer = { $0 = [:] } },
            standard("answer-error", .reject("decode"), isPC: true) {
                $0.changeAnswer = {
                    $0 = StandardAnswerBlueprint.error(code: 400, message: "no", status: "INVALID_ARGUMENT")
                }
            },
            standard("payload-of-android", .reject("payload"), isPC: true) { $0.payload = android },
            pc("payload-both-times", .reject("payload"), .timestampMillis, milliseconds(0)),
            pc("payload-nonce-and-request-hash", .reject("payload"), .nonce, "AAAAAAAAAAAAAAAA"),
            time("as-number", .number("1790000000000")), time("empty", ""), time("without-zone", "2026-09-21T12:00:00"),
            time("day-alone", "2026-09-21"), time("on-a-day-that-is-none", "2026-02-30T12:00:00Z"),
            time("with-space", "2026-09-21 12:00:00Z"), time("milliseconds", "1790000000000"),
        ]
    }

    var pcStandardRequest: [VectorCase] {
        func labels(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
            pc("integrity-\(id)", .reject("pc-integrity"), field, value)
        }
        return [
            pc("request-package-another", .reject("request-package"), .requestPackageName, "com.example.other"),
            pc("request-hash-another", .reject("request-hash"), .requestHash, "another"),
            pc("request-hash-missing", .reject("request-hash"), .requestHash, nil),
            pc("testing-response", .reject("testing-response"), .isTestingResponse, true),
            pc("time-a-millisecond-too-old", .reject("freshness"), .requestTime, time(milliseconds: -300_001)),
            pc("time-a-millisecond-too-early", .reject("freshness"), .requestTime, time(milliseconds: 60_001)),
            pc("time-missing", .reject("freshness"), .requestTime, nil),
            labels("missing", .deviceRecognitionVerdict, nil), labels("list-empty", .deviceRecognitionVerdict, []),
            labels("block-empty", .deviceIntegrity, [:]), labels("block-missing", .deviceIntegrity, nil),
            labels("of-android", .deviceRecognitionVerdict, ["MEETS_STRONG_INTEGRITY", "MEETS_DEVICE_INTEGRITY"]),
            labels("unknown", .deviceRecognitionVerdict, ["MEETS_PC_INTEGRITY_SOON"]),
            labels("in-lower-case", .deviceRecognitionVerdict, ["meets_pc_integrity"]),
        ]
    }
}
