public import AssayCore

/// What each check proves, which attack it stops, what to look at when it fails, and what a client can do: what `assay explain` prints.
///
///     let check = CheckCatalogue.entry(of: .appAttestAssertionCounter)
///     print(check?.stops ?? "", check?.remedy(for: CheckCode.counterNotIncreasing.name) ?? .nothing)
public enum CheckCatalogue {
    /// Every check, by engine, in the order in which they run.
    public static let checks: [CheckDefinition] = Verifier.catalogue

    /// The entry of a check; nil if there is none of this name.
    public static func entry(of id: CheckID) -> CheckDefinition? { checks.first { $0.id == id } }
}
