import AssayCore
import AssayTestSupport
import Foundation

extension CheckID {
    static let first = CheckID("test.first")
    static let second = CheckID("test.second")
    static let third = CheckID("test.third")
    static let challenge = CheckID("test.challenge")
    static let counter = CheckID("test.counter")
}

extension CheckCode {
    static let heavy = CheckCode("heavy", "A finding with a remedy of its own.", remedy: .contactSupport)
}

enum Fixtures {
    static let time = Date(timeIntervalSince1970: 1_776_795_192)

    static let catalogue: [CheckDefinition] = [
        definition(.first, .gate), definition(.second, .policy(default: .enforce)),
        definition(.third, .policy(default: .annotate)), definition(.counter, .ledger),
    ]

    private static func definition(_ id: CheckID, _ kind: CheckDefinition.Kind) -> CheckDefinition {
        CheckDefinition(
            id, kind, proves: "proof", stops: "the attack", lookAt: "place", source: "document", remedy: .retry,
            codes: [.heavy])
    }

    static func effect(_ check: CheckID) -> LedgerEffect {
        LedgerEffect(check, .consumeChallenge(value: [1], app: "app", purpose: ChallengePurpose(EvidenceKind("test"))))
    }

    static func use(_ check: CheckID) -> LedgerEffect {
        LedgerEffect(check, .useKey(KeyUse(key: KeyIdentifier(engine: "test", value: [1]), app: "app")))
    }

    static func assessment(
        _ checks: [CheckResult], app: String? = "app", ledgerChecks: [CheckID] = [], effects: [CheckID] = [],
        uses: [CheckID] = []
    ) -> Assessment {
        Assessment(
            kind: EvidenceKind("test"), app: app, catalogue: catalogue, checks: checks, ledgerChecks: ledgerChecks,
            effects: effects.map { effect($0) } + uses.map { use($0) }, subject: nil, testAuthority: nil)
    }
}

extension Ledger {
    /// The verdict of an assessment. Throws the outage itself, not the error around it.
    func settle(_ assessment: Assessment, at now: Date) async throws -> Verdict {
        do {
            return try await assessment.verdict(committingTo: self, at: now)
        } catch .outage(let outage) {
            throw outage
        }
    }
}

/// A finding with a fixed code and text.
struct Objection: CheckFinding, Equatable {
    var code = "objection"
    let detail = "because"
}

/// The results of checks for tables: each one as a word and its reason.
func outline(_ results: [CheckResult]) -> [String] {
    results.map { result in
        let name = result.check.name.split(separator: ".").last ?? ""
        return "\(name) \(result.status.rawValue)" + (result.because.map { " \($0)" } ?? "")
    }
}
