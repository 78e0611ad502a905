import ArgumentParser
import Assay
import AssayCore
import Foundation

/// The options of `assay verify` for one raw blob: what a record and a policy would say.
struct RawOptions: ParsableArguments {
    /// The app's name in verdicts when there is neither a policy nor a name.
    static let unnamedApp = "command-line"

    @Option(
        help: "FILE is one raw blob of this kind: bytes, base64 or base64url, the text of a token, or an HTTP request.")
    var kind: RawKind?

    @OptionGroup(title: "Raw blobs of App Attest")
    var appAttest: AppAttestRawOptions

    @OptionGroup(title: "Raw tokens of Play Integrity")
    var playIntegrity: PlayIntegrityRawOptions

    @OptionGroup(title: "Raw tokens, messages and proofs of Approov")
    var approov: ApproovRawOptions

    /// The options that were given.
    private var given: [RawOption] { appAttest.given + playIntegrity.given + approov.given }

    /// Holds the options against each other.
    ///
    /// - Parameters:
    ///   - policy: whether a policy file is named.
    ///   - app: whether an app is named.
    ///   - ledger: where the ledger is.
    /// - Throws: `ValidationError`.
    func validate(policy: Bool, app: Bool, ledger: LedgerURL) throws {
        guard let kind else {
            if let option = given.first {
                throw ValidationError("\(option.rawValue) is for one raw blob; name its kind with --kind")
            }
            return
        }
        for option in given where !kind.policyOptions.union(kind.evidenceOptions).contains(option) {
            throw ValidationError("\(kind.name) has no option \(option.rawValue)")
        }
        if policy, let option = given.first(where: kind.policyOptions.contains) {
            throw ValidationError("\(option.rawValue) and --policy exclude each other: the policy says it")
        }
        switch kind {
        case .appAttest(let kind): try appAttest.validate(kind, policy: policy, ledger: ledger)
        case .playIntegrity(let kind): try playIntegrity.validate(kind, policy: policy)
        case .approov(let kind): try approov.validate(kind, nonce: playIntegrity.nonce, policy: policy)
        }
        guard policy || app || ledger == .memory else {
            throw ValidationError("--app is required with \(ledger.description): the ledger keeps what it knows by app")
        }
    }

    /// The policy that the options of a kind stand for.
    func policy(_ kind: RawKind, app: String?) throws -> Policy {
        let app = app ?? RawOptions.unnamedApp
        return switch kind {
        case .appAttest(let kind): try AppAttestRawEvidence.policy(appAttest, kind: kind, app: app)
        case .playIntegrity(let kind): try PlayIntegrityRawEvidence.policy(playIntegrity, kind: kind, app: app)
        case .approov(let kind): try ApproovRawPolicy.policy(approov, kind: kind, app: app)
        }
    }

    /// The evidence that a file holds.
    func evidence(_ kind: RawKind, file: [UInt8], name: String) throws -> any RawEvidence {
        switch kind {
        case .appAttest(let kind):
            AppAttestRawEvidence(appAttest, kind: kind, file: file, name: name)
        case .playIntegrity(let kind):
            try PlayIntegrityRawEvidence(playIntegrity, kind: kind, file: file, name: name)
        case .approov(let kind):
            try ApproovRawEvidence(approov, kind: kind, nonce: playIntegrity.nonce, file: file, name: name)
        }
    }
}
