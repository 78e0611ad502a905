import ArgumentParser

/// The kinds of evidence that can be handed over as one raw blob, by the engine that judges them.
enum RawKind: CaseIterable, ExpressibleByArgument {
    case appAttest(AppAttestRawKind)
    case playIntegrity(PlayIntegrityRawKind)
    case approov(ApproovRawKind)

    static let allCases =
        AppAttestRawKind.allCases.map(appAttest) + PlayIntegrityRawKind.allCases.map(playIntegrity)
        + ApproovRawKind.allCases.map(approov)

    /// The names, for help and completions.
    static var allValueStrings: [String] { allCases.map(\.name) }

    /// Reads the name of a kind.
    init?(argument: String) {
        guard let kind = RawKind.allCases.first(where: { $0.name == argument }) else { return nil }
        self = kind
    }

    /// The name of the kind, as records have it.
    var name: String {
        switch self {
        case .appAttest(let kind): kind.rawValue
        case .playIntegrity(let kind): kind.rawValue
        case .approov(let kind): kind.rawValue
        }
    }

    /// The options that say what a policy would say.
    var policyOptions: Set<RawOption> {
        switch self {
        case .appAttest(let kind): kind.policyOptions
        case .playIntegrity(let kind): kind.policyOptions
        case .approov(let kind): kind.policyOptions
        }
    }

    /// The options that are part of the evidence.
    var evidenceOptions: Set<RawOption> {
        switch self {
        case .appAttest(let kind): kind.evidenceOptions
        case .playIntegrity(let kind): kind.evidenceOptions
        case .approov(let kind): kind.evidenceOptions
        }
    }
}
