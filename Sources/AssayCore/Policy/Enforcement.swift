/// How a server treats a request whose evidence is rejected. Verdicts do not depend on it.
public enum Enforcement: String, Sendable, CaseIterable {
    /// Refuse the request.
    case reject
    /// Let the request through, with its verdict.
    case annotate
    /// Do not verify requests.
    case off
}

extension SectionField {
    /// The field `enforcement`.
    package static func enforcement(_ property: Property<Enforcement>) -> Self {
        .field("enforcement", property, .word, "What a server does with rejected requests.").weak {
            let rule = $0[keyPath: property]
            return rule == .reject ? nil : "\(rule.rawValue): a server lets requests through whatever their verdict"
        }
    }
}
