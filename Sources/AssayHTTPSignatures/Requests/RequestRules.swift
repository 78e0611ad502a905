package import AssayCore

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
    package let label: String
    /// The components that every signature must cover, besides `content-digest` if there is a body.
    package let components: [String]
    /// The freshness window.
    package let freshness: FreshnessWindow
    /// The role of the nonce.
    package let nonce: NonceRule
    /// The party that compares bodies that Assay does not receive.
    package let body: BodyRule
    /// The treatment of requests with rejected evidence.
    package let enforcement: Enforcement

    /// Creates the rules.
    package init(
        label: String = RequestRules.standardLabel, components: [String] = RequestRules.standardComponents,
        freshness: FreshnessWindow = FreshnessWindow(), nonce: NonceRule = .any, body: BodyRule = .verified,
        enforcement: Enforcement = .reject
    ) {
        self.label = label
        self.components = components
        self.freshness = freshness
        self.nonce = nonce
        self.body = body
        self.enforcement = enforcement
    }
}

// MARK: Policy

extension RequestRules {
    /// The field of an engine's section.
    package static let policyField = "requests"

    /// The fields for the schema of an engine's section.
    package static let fields = [
        PolicyField("requests", .mapping, "What is demanded of requests that carry evidence."),
        PolicyField("requests.label", .text, "The label of the signature."),
        PolicyField("requests.components", .list(.text), "What a signature must cover."),
        PolicyField("requests.freshness", .mapping, "How far the time of a signature may be off."),
        PolicyField("requests.freshness.past", .duration, "How old a signature may be."),
        PolicyField("requests.freshness.future", .duration, "How far ahead of the server's clock it may be."),
        PolicyField("requests.nonce", .words(NonceRule.self), "Whether the nonce must be a challenge of the ledger."),
        PolicyField("requests.body", .words(BodyRule.self), "Who compares a body that a gateway does not pass on."),
        Enforcement.field("requests.enforcement"),
    ]

    /// Reads the field `requests`.
    package init(reading node: PolicyNode) throws(PolicyError) {
        let fields = try node.members(of: Self.fields, in: Self.policyField)
        var label = Self.standardLabel
        if let field = fields["label"] {
            label = try field.text()
            guard Self.isLabel(label) else {
                throw field.error(
                    "expected a label of a structured field, lower-case letters, digits, _ - . or *, found \(field.found)"
                )
            }
        }
        var components = Self.standardComponents
        if let field = fields["components"] {
            components = try field.uniqueTexts()
            guard !components.isEmpty else { throw field.error("expected at least one component, found none") }
            for name in components {
                if let objection = SignatureComponent.objection(toDemandOf: name) { throw field.error(objection) }
            }
        }
        self.init(
            label: label, components: components,
            freshness: try FreshnessWindow(reading: fields["freshness"]),
            nonce: try fields["nonce"]?.word(NonceRule.self) ?? .any,
            body: try fields["body"]?.word(BodyRule.self) ?? .verified,
            enforcement: try fields["enforcement"]?.word(Enforcement.self) ?? .reject)
    }

    /// Whether a text is a key of a dictionary (RFC 9651 section 3.2).
    private static func isLabel(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
        return (isLetter(first) || first == UInt8(ascii: "*"))
            && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "_-.*".utf8.contains($0) }
    }

    /// The weak settings.
    package var remarks: [PolicyRemark] {
        var remarks = freshness.remarks("\(Self.policyField).freshness")
        for (name, hole) in [
            ("@method", "with another method"), ("@target-uri", "to another path"),
        ] where !components.containsBytes(of: name) {
            remarks.append(
                PolicyRemark(
                    "requests.components", "\(name) is missing: a captured signature passes \(hole)"))
        }
        return remarks + body.remarks("requests.body") + enforcement.remarks("requests.enforcement")
    }

    /// The settings in force.
    package var settings: [PolicySetting] {
        [
            PolicySetting("requests.label", label), PolicySetting("requests.components", components),
            PolicySetting("requests.freshness.past", seconds: freshness.past),
            PolicySetting("requests.freshness.future", seconds: freshness.future),
            PolicySetting("requests.nonce", nonce.rawValue), PolicySetting("requests.body", body.rawValue),
            PolicySetting("requests.enforcement", enforcement.rawValue),
        ]
    }
}

extension RequestRules.BodyRule {
    /// The remark on `upstream` in a field.
    package func remarks(_ path: String) -> [PolicyRemark] {
        guard self == .upstream else { return [] }
        return [
            PolicyRemark(
                path,
                "upstream: nothing compares the body with its signed digest unless the server behind the gateway does")
        ]
    }
}

extension FreshnessWindow {
    /// Longer windows are allowed, with a remark.
    private static let long = FreshnessWindow(past: 900, future: 300)

    /// Reads a mapping of `past` and `future`; nil for the defaults.
    package init(reading node: PolicyNode?) throws(PolicyError) {
        let fields = try node?.members(["past", "future"]) ?? [:]
        let standard = Self()
        func seconds(_ name: String, _ standard: Double) throws(PolicyError) -> Double {
            guard let field = fields[name] else { return standard }
            let seconds = try field.duration()
            guard seconds <= Self.longest else { throw field.error("expected 0 s to one day, found \(field.found)") }
            return seconds
        }
        self.init(past: try seconds("past", standard.past), future: try seconds("future", standard.future))
    }

    /// The remarks on a long window at a path of the policy.
    package func remarks(_ path: String) -> [PolicyRemark] {
        [(past, "past", Self.long.past), (future, "future", Self.long.future)].filter { $0.0 > $0.2 }.map {
            PolicyRemark(
                "\(path).\($0.1)",
                "\(PolicyNode.text(ofSeconds: $0.0)) is long: clients sign when they send; "
                    + "\(PolicyNode.text(ofSeconds: $0.2)) is plenty")
        }
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
