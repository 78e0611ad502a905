import AssayCore
import AssayTesting
import FoundationEssentials

/// Answers of Google's decode call for classic tokens.
extension IntegrityVectorMint {
    /// An answer for a classic token that differs from a genuine one in one respect.
    private func answer(
        _ id: String, _ outcome: VectorOutcome, change: @escaping (inout StandardAnswerBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            let id = "classic-answer-\(id)"
            var blueprint = standard(id)
            blueprint.payload = classic(id).payload
            change(&blueprint)
            guard let decoded = blueprint.mint().answer.recordContent else {
                throw MintingError("an answer with text as it stands fits into no record")
            }
            return EvidenceRecord(
                id: id, kind: EvidenceKind("play-integrity.classic"), app: Self.app, receivedAt: time,
                evidence: RecordObject([
                    ("packageName", .text(Self.packageName)), ("decoded", decoded),
                    ("nonce", .text(Base64URL.text(nonce(id)))),
                ]),
                expect: outcome.expectation("play-integrity"))
        }
    }

    private func reject(_ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        answer(id, .reject(check)) { $0.payload[field] = value }
    }

    /// For an app without keys, whose classic tokens Google opens.
    var googleClassic: [VectorCase] {
        [
            answer("genuine", .accept),
            // As in Google's answers for real devices.
            answer("access-risk-empty", .accept) { $0.payload[.environmentDetails] = ["appAccessRiskVerdict": [:]] },
            answer("timestamp-as-number", .accept) {
                $0.payload[.timestampMillis] = .number(milliseconds(-1500).text.filter { $0 != "\"" })
            },
            answer("empty", .reject("decode")) { $0.changeAnswer = { $0 = [:] } },
            answer("refusal", .reject("decode")) {
                $0.changeAnswer = {
                    $0 = StandardAnswerBlueprint.error(code: 400, message: "no", status: "INVALID_ARGUMENT")
                }
            },
            reject("payload-of-another-type", "payload", .timestampMillis, [:]),
            reject("package-of-another-app", "request-package", .requestPackageName, .text(Self.otherPackageName)),
            reject("nonce-of-another-request", "nonce", .nonce, .text(Base64URL.text(nonce("another")))),
            answer("on-a-standard-token", .reject("nonce")) {
                $0.payload[.nonce] = nil
                $0.payload[.requestHash] = "hash"
            },
            reject("too-old", "freshness", .timestampMillis, milliseconds(-300_001)),
            reject("testing-response", "testing-response", .isTestingResponse, true),
            reject("unrecognized-version", "app-recognition", .appRecognitionVerdict, "UNRECOGNIZED_VERSION"),
            reject("no-device-label", "device-recognition", .deviceRecognitionVerdict, nil),
        ]
    }

    /// For an app that opens its classic tokens with keys.
    var answersToAppWithKeys: [VectorCase] { [answer("to-an-app-with-keys", .reject("decode"))] }
}
