package import AssayCore

/// Which runtime secrets an app receives. The field `secrets` of an app.
@dynamicMemberLookup
package final class SecretsConfiguration: EngineConfiguration {
    /// The name of the section.
    package static let engine = "secrets"
    package static let policyField = "secrets"

    /// Whether the app receives secrets.
    package enum Switch: String, Sendable, CaseIterable {
        case yes, no
    }

    /// The fields of the section, with their defaults. ``table`` describes them.
    package struct Values: Sendable {
        package var enabled = Switch.yes
        package var names: [String] = []
        /// How long the app may keep the values, in seconds.
        package var life: Double = 3600
        package var testAuthorities = TokenConfiguration.Permission.refuse
    }

    package let values: Values

    /// A field: `configuration.names`.
    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    init(_ values: Values) { self.values = values }
}

extension SecretsConfiguration: SectionConfiguration {
    /// Reads the field `secrets` of an app.
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        self.init(values)
    }

    package static let table: [SectionField<Values>] = [
        .field("enabled", \.enabled, .word, "Whether the app receives secrets; no answers DISABLED."),
        .field(
            "names", \.names, .texts(SecretName.objection), "The names that the app may ask for.",
            required: "a list, such as [maps-ios]"
        ).example("maps-ios"),
        .field(
            "life", \.life, .duration(60...86_400, "1m to 1d"), "How long the app may keep the values; 1h without it."),
        .field(
            "testAuthorities", \.testAuthorities, .word, "Whether evidence of a test authority gives secrets."
        ).weak(if: { $0.testAuthorities == .allow }, "allow: gives secrets to programs without a genuine device"),
    ]
}

/// The section `secrets`. It has no checks: it says what accepted evidence gives.
package struct SecretsSection: PolicySection {
    /// What is read from the section.
    package typealias Configuration = SecretsConfiguration
    /// None.
    package static let catalogue: [CheckDefinition] = []
    package static let keyMaterials: [any KeyMaterial.Type] = [RuntimeSecret.self]
}
