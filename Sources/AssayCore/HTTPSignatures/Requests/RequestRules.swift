/// A policy's rules for requests that carry evidence: the field `requests` of an engine's section.
package struct RequestRules: Sendable, Equatable {
    /// The role of the signature's `nonce`.
    package enum NonceRule: String, Sendable, CaseIterable {
        /// It must be a challenge of the ledger, and is consumed.
        case ledger
        /// It is signed, and not compared: counters and the ledger's memory stop repeats.
        case any
    }

    /// The party that compares a body that Assay does not receive, as in forward auth.
    package enum BodyRule: String, Sendable, CaseIterable {
        /// Assay. It rejects a request if it does not receive the body.
        case verified
        /// The server behind the gateway, with the signed `Content-Digest`.
        case upstream
    }

    /// The default label.
    package static let standardLabel = "assay"
    /// The default components.
    package static let standardComponents = ["@method", "@target-uri"]

    /// The label of the signature.
    package var label: String
    /// The components that every signature must cover, besides `content-digest` if there is a body.
    package var components: [String]
    package var freshness: FreshnessWindow
    /// The role of the nonce.
    package var nonce: NonceRule
    /// The party that compares bodies that Assay does not receive.
    package var body: BodyRule
    /// The treatment of requests with rejected evidence.
    package var enforcement: Enforcement

    package init(
        label: String = RequestRules.standardLabel, components: [String] = RequestRules.standardComponents,
        freshness: FreshnessWindow = FreshnessWindow(), nonce: NonceRule = .any, body: BodyRule = .verified,
        enforcement: Enforcement = .reject
    ) {
        (self.label, self.components, self.freshness) = (label, components, freshness)
        (self.nonce, self.body, self.enforcement) = (nonce, body, enforcement)
    }
}

extension RequestRules {
    /// The nonce of a signature as a text that the evidence covers; nil if it is a challenge, or missing.
    package func boundText(of nonce: String?) -> String? { self.nonce == .any ? nonce : nil }
}

// MARK: Policy

extension RequestRules {
    /// The field of an engine's section.
    package static let policyField = "requests"

    fileprivate static let table: [SectionField<RequestRules>] = [
        .field("label", \.label, .text(objection(toLabel:)), "The label of the signature."),
        .field(
            "components", \.components, .texts(SignatureComponent.objection(toDemandOf:)),
            "What a signature must cover."
        ).remarks { values in
            [("@method", "with another method"), ("@target-uri", "to another path")].filter {
                !values.components.containsBytes(of: $0.0)
            }.map { PolicyRemark("components", "\($0.0) is missing: a captured signature passes \($0.1)") }
        },
        .freshness(\.freshness),
        .field("nonce", \.nonce, .word, "Whether the nonce must be a challenge of the ledger."),
        .body(\.body),
        .enforcement(\.enforcement),
    ]

    /// Why a text is no key of a dictionary (RFC 9651 section 3.2); nil if it is one.
    private static func objection(toLabel text: String) -> String? {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
        let isLabel =
            text.utf8.count <= 64 && text.utf8.first.map { isLetter($0) || $0 == UInt8(ascii: "*") } == true
            && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "_-.*".utf8.contains($0) }
        return isLabel
            ? nil
            : "expected a label of a structured field, lower-case letters, digits, _ - . or *, found \"\(text.excerpt)\""
    }
}

extension SectionField {
    /// The field `requests`.
    package static func requests(_ property: Property<RequestRules?>) -> Self {
        .group(
            RequestRules.policyField, property, "What is demanded of requests that carry evidence.",
            else: { _ in RequestRules() }, RequestRules.table)
    }

    /// The field `body` of rules for signed requests.
    package static func body(_ property: Property<RequestRules.BodyRule>) -> Self {
        .field("body", property, .word, "Who compares a body that a gateway does not pass on.").weak(
            if: { $0[keyPath: property] == .upstream },
            "upstream: nothing compares the body with its signed digest unless the server behind the gateway does")
    }

    /// The field `freshness` of rules for signed requests.
    package static func freshness(_ property: Property<FreshnessWindow>) -> Self {
        .group("freshness", property, "How far the time of a signature may be off.", FreshnessWindow.table)
    }
}

extension FreshnessWindow {
    fileprivate static let table: [SectionField<FreshnessWindow>] = [
        .field("past", \.past, form, "How old a signature may be.").weak { remark($0.past, plenty: 900) },
        .field("future", \.future, form, "How far ahead of the server's clock it may be.").weak {
            remark($0.future, plenty: 300)
        },
    ]
    private static let form = FieldForm<Double>.duration(0...longest, "0 s to one day")

    private static func remark(_ seconds: Double, plenty: Double) -> String? {
        guard seconds > plenty else { return nil }
        return "\(PolicyNode.text(ofSeconds: seconds)) is long: clients sign when they send; "
            + "\(PolicyNode.text(ofSeconds: plenty)) is plenty"
    }
}

extension SignatureComponent {
    private static let derived = [
        "@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query",
    ]

    /// Why a policy cannot demand a component; nil if it can.
    package static func objection(toDemandOf name: String) -> String? {
        let isField =
            !name.isEmpty
            && name.utf8.allSatisfy { HTTPFieldText.isTokenCharacter($0) && !(0x41...0x5A).contains($0) }
        guard !isField, !derived.containsBytes(of: name) else { return nil }
        return "expected the name of a field in lower case or one of \(derived.joined(separator: ", ")), found "
            + "\"\(name.excerpt)\""
    }
}
