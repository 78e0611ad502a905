import AssayCore
package import AssayTesting
package import FoundationEssentials

/// The test vectors of devices without evidence. They contain nothing random.
package enum NoEvidenceVectors: VectorSet {
    package static let name = "none"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = NoEvidenceVectorMint(time: time)
        return [
            policy(
                "",
                """
                      reasons: [unsupported, no-play-services]
                      minimumAppVersion: "5.1"
                      versions: { maximum: "7", withdrawn: ["6.0.1"] }
                      maximumSystemVersion: "15.99"
                      plausibleShare: 2%
                """),
            policy("any/", "      reasons: [unsupported, no-play-services, no-attestation-keys, extension, failed]"),
            policy("accounts/", "      reasons: [unsupported]\n      account: required"),
            policy("enforced/", "      reasons: [unsupported]", "checks: { none.evidence: enforce }\n"),
            VectorDraft("accept.json", mint.accepted), VectorDraft("decode.json", mint.undecodable),
            VectorDraft("policy.json", mint.refused), VectorDraft("any/accept.json", mint.any),
            VectorDraft("accounts/account.json", mint.accounts), VectorDraft("enforced/evidence.json", mint.enforced),
            VectorDraft(unreadable: "reason-missing", mint.json(#"{"code":"dc:1"}"#)),
            VectorDraft(unreadable: "reason-number", mint.json(#"{"reason":1}"#)),
            VectorDraft(unreadable: "code-list", mint.json(#"{"reason":"unsupported","code":["dc:1"]}"#)),
            VectorDraft(unreadable: "field-unknown", mint.json(#"{"reason":"unsupported","evidence":"none"}"#)),
            VectorDraft(
                unreadable: "app-without-section",
                mint.json(#"{"reason":"unsupported"}"#).replacing(NoEvidenceVectorMint.app, with: "other")),
        ]
    }

    /// The policies under which the vectors are judged, one to a folder.
    private static func policy(_ folder: String, _ section: String, _ rest: String = "") -> VectorDraft {
        VectorDraft(
            "\(folder)policy.yaml",
            text: """
                # Minted with the vectors beside it.
                version: 1
                apps:
                  - name: \(NoEvidenceVectorMint.app)
                    noEvidence:
                \(section)
                  - name: other
                    approov: { format: jws }
                \(rest)
                """)
    }
}

/// Makes the records.
package struct NoEvidenceVectorMint {
    static let app = "vectors"

    private let time: Date

    package init(time: Date) { self.time = time }

    private func record(
        _ id: String, _ fields: [(String, String)], account: String? = nil, failed: [String] = []
    ) -> VectorCase {
        let time = time
        return {
            EvidenceRecord(
                id: id, kind: EvidenceKind("none"), app: Self.app, account: account, receivedAt: time,
                evidence: RecordObject(fields.map { ($0.0, .text($0.1)) }),
                expect: VectorOutcome(failed: failed).expectation("none"))
        }
    }

    /// A statement that the strict policy accepts, with some fields replaced; nil leaves one out.
    package func statement(
        _ id: String, _ changes: [(String, String?)] = [], account: String? = nil, failed: [String] = []
    ) -> VectorCase {
        var fields = [
            ("reason", "unsupported"), ("code", "dc:1"), ("appVersion", "5.1.0"), ("systemVersion", "13.7"),
        ]
        for (name, value) in changes {
            let index = fields.firstIndex { $0.0 == name } ?? fields.endIndex
            fields.removeAll { $0.0 == name }
            if let value { fields.insert((name, value), at: min(index, fields.endIndex)) }
        }
        return record(id, fields, account: account, failed: failed)
    }

    func json(_ evidence: String) -> String {
        #"{"id":"unreadable","kind":"none","app":"\#(Self.app)","receivedAt":"2026-09-21T12:00:00Z","evidence":\#(evidence)}"#
            + "\n"
    }

    var accepted: [VectorCase] {
        [
            statement("none-ios"),
            statement("none-android", [("reason", "no-play-services"), ("code", "play-integrity:-2")]),
            statement("none-without-code", [("code", nil)]),
            statement("none-lowest-app", [("appVersion", "5.1")]),
            statement("none-highest-app", [("appVersion", "7.0.0")]),
            statement("none-highest-system", [("systemVersion", "15.99.0")]),
            statement("none-code-longest", [("code", String(repeating: "a", count: 64))]),
            statement("none-code-characters", [("code", "aZ09:._-")]),
            statement("none-with-account", account: "alice"),
        ]
    }

    var undecodable: [VectorCase] {
        let long = String(repeating: "1", count: 65)
        let texts: [(String, String, String)] = [
            ("reason-unknown", "reason", "old"), ("reason-empty", "reason", ""),
            ("reason-case", "reason", "Unsupported"), ("reason-space", "reason", "unsupported "),
            ("reason-line", "reason", "unsupported\r\nAssay-Outcome: accept"), ("code-empty", "code", ""),
            ("code-long", "code", String(repeating: "a", count: 65)), ("code-space", "code", "dc 1"),
            ("code-line", "code", "dc:1\r\nAssay-Outcome: accept"), ("code-quote", "code", "dc\""),
            ("code-letter", "code", "dc:é"), ("app-version-empty", "appVersion", ""),
            ("app-version-long", "appVersion", long), ("app-version-line", "appVersion", "5.1\n"),
            ("app-version-control", "appVersion", "5.1\u{1B}[2J"), ("app-version-letter", "appVersion", "5.1é"),
            ("system-version-empty", "systemVersion", ""), ("system-version-long", "systemVersion", long),
            ("system-version-line", "systemVersion", "13\r"),
            ("system-version-direction", "systemVersion", "13\u{202E}"),
        ]
        return texts.map { statement("none-\($0)", [($1, $2)], failed: ["decode"]) }
    }

    var refused: [VectorCase] {
        [
            statement("none-reason-failed", [("reason", "failed")], failed: ["reason"]),
            statement("none-reason-extension", [("reason", "extension")], failed: ["reason"]),
            statement("none-reason-keys", [("reason", "no-attestation-keys")], failed: ["reason"]),
            statement("none-app-missing", [("appVersion", nil)], failed: ["app-version"]),
            statement("none-app-words", [("appVersion", "5.1 (beta)")], failed: ["app-version"]),
            statement("none-app-low", [("appVersion", "5.0.9")], failed: ["app-version"]),
            statement("none-app-high", [("appVersion", "7.0.1")], failed: ["app-version"]),
            statement("none-app-withdrawn", [("appVersion", "6.0.1")], failed: ["app-version"]),
            statement("none-system-missing", [("systemVersion", nil)], failed: ["system-version"]),
            statement("none-system-words", [("systemVersion", "iOS 13")], failed: ["system-version"]),
            statement("none-system-high", [("systemVersion", "16.0")], failed: ["system-version"]),
            statement(
                "none-everything", [("reason", "failed"), ("appVersion", "1"), ("systemVersion", "26")],
                failed: ["reason", "app-version", "system-version"]),
        ]
    }

    var any: [VectorCase] {
        ["unsupported", "no-play-services", "no-attestation-keys", "extension", "failed"].map {
            record("none-any-\($0)", [("reason", $0)])
        } + [
            statement("none-any-words", [("appVersion", "5.1 \"beta\", x=1;y"), ("systemVersion", "Android 4.4")])
        ]
    }

    var accounts: [VectorCase] {
        [statement("none-account", account: "alice"), statement("none-account-missing", failed: ["account"])]
    }

    var enforced: [VectorCase] { [statement("none-enforced", failed: ["evidence"])] }
}
