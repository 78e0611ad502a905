package import AssayCore
package import AssayInspection
package import FoundationEssentials

/// An engine with one kind of evidence and one check: a stamp must contain the word of the policy.
///
/// It shows the declarations of a new engine, and that only its registration refers to it.
package struct ToyEngine: InspectableEngine {
    package typealias Configuration = ToyConfiguration

    package static let kind = EvidenceKind("toy.stamp")
    package static let word = CheckID("toy.stamp.word")

    package static let title = "Toy"
    package static let kinds = [kind]
    package static let catalogue = [
        CheckDefinition(
            word, .policy(default: .enforce), proves: "The stamp carries the word of the policy.",
            stops: "Stamps of other toys.", lookAt: "The word on the stamp, and the one in the policy.",
            source: "This test.", remedy: .retry, codes: [.wordDiffers])
    ]
    package static let sensitiveFields = [
        SensitiveField("owner", of: kind, substitute: .none, reveals: "whose toy it is")
    ]
    package static func retainedFields(of kind: EvidenceKind) -> [String] { ["stamp"] }
    package static let rawKinds = [
        RawKind(
            kind, file: .text { (text, _) throws(RawError) in RawFields([("stamp", .text(text))]) },
            options: [
                .alias(of: ToyConfiguration.fields["word"], required: .withoutPolicy("it is what is compared")),
                .evidence("owner", .text, "Whose toy it is."),
            ],
            example: ["--word WORD stamp.txt"])
    ]
    package static let formats: [any BlobFormat.Type] = [ToyStampFormat.self]
    package static let fields = [
        InspectedField(nil, "stamp", "the stamp of the toy", ToyStampFormat.self),
        InspectedField(nil, "owner", "whose toy it is"),
    ]
    package static let mainFormats: [(format: any BlobFormat.Type, kind: EvidenceKind)] = [(ToyStampFormat.self, kind)]

    private let apps: EngineApps<ToyExpectations>

    package init(policy: VerificationPolicy, resources: EngineResources) { apps = EngineApps(policy) }

    package static func orderingKey(of record: EvidenceRecord) -> String? { nil }

    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        EvidenceRecord(
            id: nil, kind: kind, app: nil, receivedAt: nil,
            evidence: RecordObject([("stamp", .text(String(decoding: LenientText.body(blob), as: UTF8.self)))]),
            expect: nil)
    }

    package func assess(
        _ record: EvidenceRecord, ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let stamp = try record.reading { (evidence) throws(RecordError) in
            let fields = RecordFields(evidence, path: "evidence")
            try fields.requireOnly(["stamp", "owner"])
            guard let stamp = try fields.text("stamp") else { throw fields.missing("stamp") }
            return stamp
        }
        return judge(stamp, try expectations(record.app))
    }

    private func expectations(_ app: String?) throws(VerificationError) -> ToyExpectations {
        if let named = try apps.app(app) { return named }
        return try apps.app(by: "stamp") { _ in true }
    }

    private func judge(_ stamp: String?, _ expectations: ToyExpectations) -> Assessment {
        var run = CheckRun(modes: expectations.modes, capacity: 1)
        run.policy(ToyEngine.word) { () throws(CheckFailure) in
            guard stamp == ToyStampFormat.prefix + expectations.configuration.word else {
                throw CheckFailure(.wordDiffers, "the stamp carries another word than the policy's")
            }
            return .passed
        }
        return Assessment(
            kind: ToyEngine.kind, app: expectations.app, catalogue: ToyEngine.catalogue, checks: run.results,
            ledgerChecks: [], effects: [],
            subject: nil,
            testAuthority: nil)
    }
}

/// Requests carry a stamp in a field, which covers nothing else.
extension ToyEngine: RequestEngine {
    package static func requestEvidence(of app: PolicyApp) -> RequestEvidenceRules? {
        app.configuration(ToyConfiguration.self).map { _ in
            RequestEvidenceRules(kind: kind, enforcement: .reject, scope: .fields(["Toy-Stamp"]))
        }
    }

    package nonisolated(nonsending) func assess(
        fields value: (Int) -> RequestFieldValue, address: String?, app: String, account: String?,
        ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> Assessment {
        let stamp: String? = if case .value(let text) = value(0) { text } else { nil }
        return judge(stamp, try expectations(app))
    }

    package static func challenge(_ verdict: Verdict) -> [SignedRequest.Field] {
        [SignedRequest.Field("WWW-Authenticate", "Toy")]
    }
}

extension CheckCode {
    fileprivate static let wordDiffers = CheckCode(
        "word-differs", "The stamp carries another word than the policy names: it is of another toy.")
}

/// The policy for stamps.
package final class ToyConfiguration: ReadableConfiguration {
    package static let engine = "toy"
    package static let policyField = "toy"
    package static let fields = [PolicyField("word", .text, "The word that a stamp carries.")]

    package let word: String

    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        guard let word = try node.members(of: Self.fields)["word"] else { throw node.missing("word", "such as hello") }
        let text = try word.text()
        guard !text.contains(" ") else { throw word.error("expected one word, found \(word.found)") }
        self.init(word: text)
    }

    package init(word: String) { self.word = word }
}

private final class ToyExpectations: EngineExpectations {
    let app: String
    let configuration: ToyConfiguration
    let modes: CheckModes

    init(app: String, configuration: ToyConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
    }
}

/// Stamps: `TOY:` and a word.
package enum ToyStampFormat: BlobFormat {
    package static let name = "Toy stamp"
    package static let prefix = "TOY:"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        bytes.starts(with: prefix.utf8) ? Recognition(.certain, because: "it begins with \(prefix)") : nil
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        BlobContents([
            Annotation(
                "word", at: prefix.utf8.count..<bytes.count, value: String(decoding: bytes, as: UTF8.self), meaning: nil
            )
        ])
    }
}
