import AssayCore
import AssayTesting
import FoundationEssentials

/// Answers of Google's decode call for Google Play Games on PC.
struct IntegrityPCVectors: VectorGroup {
    let mint: IntegrityVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [
            mint.file("pc/standard-accept.json", accepted),
            mint.file("pc/standard-decode.json", answers + payloads),
            mint.file("pc/standard-request.json", requests + times + integrity),
        ]
    }

    private func pc(_ id: String, _ outcome: VectorOutcome, _ field: PlayIntegrityField, _ value: JSONItem?)
        -> StandardCase
    { StandardCase(id, outcome, isPC: true, field, value) }

    private func time(milliseconds: Double) -> JSONItem {
        .text(RFC3339.format(mint.time.addingTimeInterval(milliseconds / 1000)))
    }

    private var accepted: [StandardCase] {
        let label = "MEETS_PC_INTEGRITY"
        return [
            StandardCase("genuine", .accept, isPC: true),
            pc("time-at-the-past-end", .accept, .requestTime, time(milliseconds: -300_000)),
            pc("time-at-the-future-end", .accept, .requestTime, time(milliseconds: 60_000)),
            pc("label-beside-an-unknown-one", .accept, .deviceRecognitionVerdict, ["MEETS_FUTURE", .text(label)]),
            pc("unknown-block", .accept, PlayIntegrityField("futureDetails"), ["verdict": "GOOD"]),
            pc("account-details", .accept, .accountDetails, ["appLicensingVerdict": "LICENSED"]),
            pc("testing-response-false", .accept, .isTestingResponse, false),
        ]
    }

    private var answers: [StandardCase] {
        [
            StandardCase("answer-empty", .reject("decode"), isPC: true) { $0.changeAnswer = { $0 = [:] } },
            StandardCase("answer-error", .reject("decode"), isPC: true) {
                $0.changeAnswer = {
                    $0 = StandardAnswerBlueprint.error(code: 400, message: "no", status: "INVALID_ARGUMENT")
                }
            },
        ]
    }

    private var payloads: [StandardCase] {
        let android = mint.standard("pc-payload-of-android").payload
        func time(_ id: String, _ value: JSONItem) -> StandardCase {
            pc("payload-time-\(id)", .reject("payload"), .requestTime, value)
        }
        return [
            StandardCase("payload-of-android", .reject("payload"), isPC: true) { $0.payload = android },
            pc("payload-both-times", .reject("payload"), .timestampMillis, mint.milliseconds(0)),
            pc("payload-nonce-and-request-hash", .reject("payload"), .nonce, "AAAAAAAAAAAAAAAA"),
            time("as-number", .number("1790000000000")), time("empty", ""), time("without-zone", "2026-09-21T12:00:00"),
            time("day-alone", "2026-09-21"), time("on-a-day-that-is-none", "2026-02-30T12:00:00Z"),
            time("with-space", "2026-09-21 12:00:00Z"), time("milliseconds", "1790000000000"),
        ]
    }

    private var requests: [StandardCase] {
        [
            pc("request-package-another", .reject("request-package"), .requestPackageName, "com.example.other"),
            pc("request-hash-another", .reject("request-hash"), .requestHash, "another"),
            pc("request-hash-missing", .reject("request-hash"), .requestHash, nil),
            pc("testing-response", .reject("testing-response"), .isTestingResponse, true),
        ]
    }

    private var times: [StandardCase] {
        [
            pc("time-a-millisecond-too-old", .reject("freshness"), .requestTime, time(milliseconds: -300_001)),
            pc("time-a-millisecond-too-early", .reject("freshness"), .requestTime, time(milliseconds: 60_001)),
            pc("time-missing", .reject("freshness"), .requestTime, nil),
        ]
    }

    private var integrity: [StandardCase] {
        func labels(_ id: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> StandardCase {
            pc("integrity-\(id)", .reject("pc-integrity"), field, value)
        }
        return [
            labels("missing", .deviceRecognitionVerdict, nil), labels("list-empty", .deviceRecognitionVerdict, []),
            labels("block-empty", .deviceIntegrity, [:]), labels("block-missing", .deviceIntegrity, nil),
            labels("of-android", .deviceRecognitionVerdict, ["MEETS_STRONG_INTEGRITY", "MEETS_DEVICE_INTEGRITY"]),
            labels("unknown", .deviceRecognitionVerdict, ["MEETS_PC_INTEGRITY_SOON"]),
            labels("in-lower-case", .deviceRecognitionVerdict, ["meets_pc_integrity"]),
        ]
    }
}
