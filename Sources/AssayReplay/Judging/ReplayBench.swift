import Assay
import AssayCore
import Foundation

/// The verifiers and ledgers for the records of one file.
final class ReplayBench: Sendable {
    /// A verifier with its ledger, or the reason for having none.
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
        (self.file, self.primary, self.against) = (file, primary, against)
    }
}

/// Creates a bench for each file.
struct ReplayBenches {
    private let policies: ReplayPolicies
    private let options: ReplayOptions
    private let base: BaseLedger?
    private let tallies = (primary: PresumptionTally(), against: PresumptionTally())
    /// The verifiers of nearest policies by the bytes of their path.
    private var nearest: [[UInt8]: Result<Verifier, ReplayFailure>] = [:]
    private let given: Verifier?
    private let against: Verifier?
    private var ledgers: (primary: ReplayLedger, against: ReplayLedger)
    private var current: ReplayBench?

    init(_ policies: ReplayPolicies, _ options: ReplayOptions) {
        self.policies = policies
        self.options = options
        base = options.baseLedger.map { BaseLedger($0) }
        ledgers = ReplayBenches.ledgers(options, base, tallies)
        given = policies.given.map { [ledgers] in ReplayBenches.verifier($0, ledgers.primary, options) }
        against = policies.against.map { [ledgers] in ReplayBenches.verifier($0, ledgers.against, options.ofAgainst) }
    }

    /// The presumptions of all ledgers so far.
    var presumptions: ReplayPresumptions { tallies.primary.total }
    /// The presumptions under the second policy; nil without one.
    var presumptionsAgainst: ReplayPresumptions? { against.map { _ in tallies.against.total } }

    /// The bench of a file. All batches of a file must come in succession.
    mutating func bench(for file: CorpusFile) -> ReplayBench {
        if let current, current.file == file { return current }
        if options.isLedgerPerFile, current != nil { ledgers = ReplayBenches.ledgers(options, base, tallies) }
        let primary: ReplayBench.Side =
            switch verifier(for: file) {
            case .success(let verifier): .verifier(verifier, ledgers.primary)
            case .failure(let failure): .failure(failure)
            }
        let bench = ReplayBench(file: file, primary: primary, against: against.map { .verifier($0, ledgers.against) })
        current = bench
        return bench
    }

    private mutating func verifier(for file: CorpusFile) -> Result<Verifier, ReplayFailure> {
        if policies.isNearestFirst {
            for folder in ReplayBenches.policyFolders(of: file) {
                let path = "\(folder)/\(ReplayPolicies.fileName)"
                if let known = nearest[Array(path.utf8)] { return known }
                // Also true for a dangling link: report it instead of using a policy further up.
                guard (try? FileManager.default.attributesOfItem(atPath: path)) != nil else { continue }
                let verifier = load(path)
                nearest[Array(path.utf8)] = verifier
                return verifier
            }
        }
        if let given { return .success(given) }
        let place =
            file.folder == nil
            ? "standard input has no folder with a policy"
            : "there is no \(ReplayPolicies.fileName) in its folder, nor in one above it up to the corpus"
        return .failure(ReplayFailure("no-policy", "\(place); give --policy"))
    }

    private func load(_ path: String) -> Result<Verifier, ReplayFailure> {
        func failure(_ reason: String) -> Result<Verifier, ReplayFailure> {
            .failure(ReplayFailure("policy-unreadable", "its policy cannot be read: \(reason)"))
        }
        // Found, not named by the user: reading a pipe could block forever.
        guard FileStatus(Array(path.utf8))?.isRegular ?? true else { return failure("\(path) is no regular file") }
        do {
            return .success(
                ReplayBenches.verifier(
                    try PolicyFile.load(path: path, engines: options.engines), ledgers.primary, options))
        } catch {
            return failure(error.description)
        }
    }

    /// The file's folder and those above it, up to the given one; a file given by path has only its own, stdin none.
    private static func policyFolders(of file: CorpusFile) -> [String] {
        guard let folder = file.folder else { return [] }
        var folders = [folder]
        let root = withoutSlashes(file.root ?? folder)
        var current = withoutSlashes(folder)
        while current.utf8.count > root.utf8.count, current.utf8.starts(with: root.utf8),
            let slash = current.lastIndex(of: "/")
        {
            let parent = slash == current.startIndex ? "/" : withoutSlashes(String(current[..<slash]))
            guard parent.utf8.count >= root.utf8.count else { break }
            folders.append(parent)
            current = parent
        }
        return folders
    }

    private static func withoutSlashes(_ path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    private static func ledgers(
        _ options: ReplayOptions, _ base: BaseLedger?, _ tallies: (primary: PresumptionTally, against: PresumptionTally)
    ) -> (primary: ReplayLedger, against: ReplayLedger) {
        (
            ReplayLedger(challenges: options.challenges, base: base, tally: tallies.primary),
            ReplayLedger(
                challenges: options.challenges, base: base, readsKeys: options.keepsEnrolledKeys,
                tally: tallies.against)
        )
    }

    /// A verifier whose own ledger is unused: every assessment and commit passes one.
    private static func verifier(_ policy: VerificationPolicy, _ ledger: ReplayLedger, _ options: ReplayOptions)
        -> Verifier
    {
        Verifier(
            policy: policy, ledger: ledger, keyStores: options.keyStores, services: options.services,
            engines: options.engines, use: .analysis)
    }
}
