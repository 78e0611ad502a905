package import AssayCore

/// Which devices without evidence a policy accepts. The field `noEvidence` of an app; without it, none.
@dynamicMemberLookup
package final class NoEvidenceConfiguration: EngineConfiguration {
    package static let engine = "none"
    package static let policyField = "noEvidence"

    /// Whether the backend must name the account of a device without evidence.
    package enum AccountRule: String, Sendable, CaseIterable {
        /// It may.
        case none
        /// It must.
        case required
    }

    /// A share of accepted verdicts, written as a percentage.
    package struct Share: Sendable, Equatable {
        /// As written, such as `2%`.
        package let text: String
        /// As a fraction, such as 0.02.
        package let fraction: Double

        /// Reads a percentage above 0 and up to 100, with up to three digits behind the point; nil for another text.
        package init?(_ text: String) {
            let number = text.dropLast()
            let parts = number.split(separator: ".", omittingEmptySubsequences: false)
            guard text.utf8.last == UInt8(ascii: "%"), (1...2).contains(parts.count),
                parts.allSatisfy({
                    (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
                }), let percent = Double(number), percent > 0, percent <= 100
            else { return nil }
            self.text = text
            fraction = percent / 100
        }
    }

    package struct Values: Sendable {
        /// The reasons that are accepted.
        package var reasons: [NoEvidenceReason] = []
        /// The versions of the app that are accepted, as devices state them.
        package var versions = VersionRules<DottedVersion>()
        /// The highest version of the system that is accepted, as devices state it; nil for any.
        package var maximumSystemVersion: DottedVersion?
        /// Whether the backend must name the account.
        package var account = AccountRule.none
        /// The share of such devices among the accepted verdicts of the app that is plausible; nil for any.
        package var plausibleShare: Share?
    }

    package let values: Values

    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    init(_ values: Values) { self.values = values }

    package convenience init(reasons: [NoEvidenceReason], _ others: (inout Values) -> Void = { _ in }) {
        var values = Values()
        values.reasons = reasons
        others(&values)
        self.init(values)
    }
}

extension NoEvidenceConfiguration: SectionConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        self.init(values)
    }

    package static let table: [SectionField<Values>] = [
        .field(
            "reasons", \.reasons, .list(of: .word), "A reason of a device without evidence that is accepted.",
            required: "a list of \(NoEvidenceReason.allCases.map(\.rawValue).joined(separator: ", "))"
        ).example(NoEvidenceReason.unsupported.rawValue).weak { values in
            "\(values.reasons.map(\.rawValue).joined(separator: ", ")): any program that can send a request is accepted if it states "
                + "this, with any versions: give what it gets less than a device with evidence"
        },
        .versions(
            \.versions, minimum: "minimumAppVersion", "The lowest version of the app, as the device states it.",
            .version, example: "1", neededBy: CheckID.noneAppVersion),
        .field(
            "maximumSystemVersion", \.maximumSystemVersion, .version,
            "The highest version of the operating system, as the device states it: newer ones can attest."
        ).example("15.99").needed(by: CheckID.noneSystemVersion).weak(
            if: { $0.maximumSystemVersion == nil },
            "not set: apps on current systems are accepted without the evidence that they could give"),
        .field("account", \.account, .word, "Whether the backend must name the account of such a device.").weak(
            if: { $0.account == .none },
            "none: no block reaches a device without evidence for which the backend names no account"),
        .field(
            "plausibleShare", \.plausibleShare, share,
            "The share of the app's accepted verdicts above which an alert fires, such as 2%."
        ).weak(
            if: { $0.plausibleShare == nil },
            "not set: no alert tells when more devices than plausible state that they have no evidence"),
    ]

    private static let share = FieldForm<Share>.text(\.text) { (node) throws(PolicyError) in
        guard let share = Share(try node.text()) else {
            throw node.error("expected a share from 0.001% to 100%, such as 2% or 0.5%, found \(node.found)")
        }
        return share
    }
}

final class NoEvidenceExpectations: EngineExpectations {
    let app: String
    let configuration: NoEvidenceConfiguration
    let modes: CheckModes
    /// The fields of requests that carry evidence of the app; see ``NoEvidenceEngine/otherFields(of:)``.
    let otherFields: [String]

    convenience init(app: String, configuration: NoEvidenceConfiguration, modes: [CheckID: CheckMode]) {
        self.init(app, configuration, modes, otherFields: NoEvidenceEngine.otherFields(of: PolicyApp(name: app)))
    }

    convenience init(app: PolicyApp, configuration: NoEvidenceConfiguration, policy: VerificationPolicy) {
        self.init(
            app.name, configuration, policy.modes(of: app), otherFields: NoEvidenceEngine.otherFields(of: app))
    }

    private init(
        _ app: String, _ configuration: NoEvidenceConfiguration, _ modes: [CheckID: CheckMode], otherFields: [String]
    ) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        self.otherFields = otherFields
    }
}
