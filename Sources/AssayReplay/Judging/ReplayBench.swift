import Assay
import AssayCore

/// Where the records of one file are judged: under which policy, with which ledger, and the same for the comparison.
final class ReplayBench: Sendable {
    /// One policy with its ledger, or why nothing can be judged.
    enum Side: Sendable {
        case verifier(Verifier, ReplayLedger)
        case failure(ReplayFailure)

        var ledger: ReplayLedger? {
            switch self {
            case .verifier(_, let ledger): ledger
            case .failure: nil
            }
        }
    }

    let file: CorpusFile
    let primary: Side
    let against: Side?

    init(file: CorpusFile, primary: Side, against: Side?) {
        self.file = file
        self.primary = primary
        self.against = against
    }
}

/// Prepares a bench for each file.
struct ReplayBenches {
    private let policies: ReplayPolicies
    private let options: ReplayOptions
    private let base: BaseLedger?
    private var verifiers: [ByteText: Result<Verifier, ReplayFailure>] = [:]
    private let given: Verifier?
    private let against: Verifier?
    private var ledgers: (primary: ReplayLedger, against: ReplayLedger)
    private var current: ReplayBench?

    init(_ policies: ReplayPolicies, _ options: ReplayOptions) {
        self.policies = policies
        self.options = options
        let base = options.baseLedger.map { BaseLedger($0) }
        self.base = base
        let ledgers = ReplayBenches.ledgers(options, base)
        self.ledgers = ledgers
        given = policies.given.map { ReplayBenches.verifier($0, ledgers.primary, options) }
        against = policies.against.map { ReplayBenches.verifier($0, ledgers.against, options) }
    }

    /// The bench for the records of a file, whose batches follow each other.
    mutating func bench(for file: CorpusFile) -> ReplayBench {
        if let current, current.file == file { return current }
        if options.isLedgerPerFile, current != nil { ledgers = ReplayBenches.ledgers(options, base) }
        let primary: ReplayBench.Side =
            switch verifier(for: file) {
            case .success(let verifier): .verifier(verifier, ledgers.primary)
            case .failure(let failure): .failure(failure)
            }
        let bench = ReplayBench(
            file: file, primary: primary, against: against.map { .verifier($0, ledgers.against) })
        current = bench
        return bench
    }

    private mutating func verifier(for file: CorpusFile) -> Result<Verifier, ReplayFailure> {
        if policies.isNearestFirst {
            for folder in NearestPolicy.folders(of: file) {
                let path = "\(folder)/\(ReplayPolicies.fileName)"
                if let known = verifiers[ByteText(path)] { return known }
                guard NearestPolicy.exists(path) else { continue }
                let verifier = load(path)
                verifiers[ByteText(path)] = verifier
                return verifier
            }
        }
        if let given { return .success(given) }
        let place =
            file.folder == nil
            ? "what standard input holds has no folder in which a policy could stand"
            : "there is no \(ReplayPolicies.fileName) in its folder, nor in one above it up to the corpus"
        return .failure(ReplayFailure("no-policy", "\(place); give --policy"))
    }

    private func load(_ path: String) -> Result<Verifier, ReplayFailure> {
        guard NearestPolicy.isReadable(path) else {
            return .failure(
                ReplayFailure("policy-unreadable", "its policy cannot be read: \(path) is no regular file"))
        }
        do {
            return .success(ReplayBenches.verifier(try PolicyFile.load(path: path, engines: options.engines), ledgers.primary, options))
        } catch {
            return .failure(ReplayFailure("policy-unreadable", "its policy cannot be read: \(error.description)"))
        }
    }

    private static func ledgers(
        _ options: ReplayOptions, _ base: BaseLedger?
    ) -> (primary: ReplayLedger, against: ReplayLedger) {
        (
            ReplayLedger(challenges: options.challenges, base: base),
            ReplayLedger(challenges: options.challenges, base: base)
        )
    }

    /// A verifier whose own ledger is never asked: every assessment and every commit names one.
    private static func verifier(_ policy: Policy, _ ledger: ReplayLedger, _ options: ReplayOptions) -> Verifier {
        Verifier(policy: policy, ledger: ledger, keyStores: options.keyStores, engines: options.engines)
    }
}
