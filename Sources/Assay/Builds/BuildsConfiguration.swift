package import AssayCore

/// Whether evidence must come from an admitted build. The field `builds` of an app.
package final class BuildsConfiguration: EngineConfiguration {
    package static let engine = "builds"
    package static let policyField = "builds"

    /// What becomes of evidence from a build that is not admitted.
    package enum Rule: String, Sendable, CaseIterable {
        /// The builds are not compared.
        case off
        case annotate
        case reject
    }

    /// What becomes of evidence that states no build.
    package enum Unstated: String, Sendable, CaseIterable {
        /// The check does not apply to it.
        case accept
        case annotate
        case reject
    }

    package struct Values: Sendable {
        /// What becomes of evidence from a build that is not admitted.
        package var rule = Rule.off
        /// What becomes of evidence that states no build.
        package var unstated = Unstated.annotate
    }

    package let values: Values

    init(_ values: Values) { self.values = values }

    package convenience init(_ rule: Rule, unstated: Unstated = .annotate) {
        self.init(Values(rule: rule, unstated: unstated))
    }
}

extension BuildsConfiguration: SectionConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        self.init(values)
    }

    package static let table: [SectionField<Values>] = [
        .field(
            "rule", \.rule, .word, "What becomes of evidence from a build that `assay builds add` has not admitted."
        ).weak(
            if: { $0.rule == .annotate },
            "annotate: evidence from any build is accepted; reject admits only the ledger's builds"),
        .field("unstated", \.unstated, .word, "What becomes of evidence that states no build.").weak(
            if: { $0.rule == .reject && $0.unstated != .reject },
            "not reject: App Attest states no build before iOS 27 and macOS 27, and such evidence is accepted from any build"
        ),
    ]
}
