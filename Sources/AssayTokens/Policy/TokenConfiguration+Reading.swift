package import AssayCore

extension TokenConfiguration: ReadableConfiguration {
    /// The fields of the section.
    package static let fields = [
        PolicyField(
            "issuer", .text, isRequired: true, "iss of tokens: the https URL below which the service is reached."),
        PolicyField("audiences", .list(.text), isRequired: true, "The audiences for which tokens are issued."),
        PolicyField("acceptedAudiences", .list(.text), "The audiences whose tokens are accepted here; all without it."),
        PolicyField("life", .duration, "How long a token is valid, 1m to 60m; 5m without it."),
        PolicyField("key", .words(KeyRule.self), "Whether tokens must be bound to a key of the client."),
        PolicyField("nonce", .words(NonceRule.self), "Whether DPoP proofs must contain a nonce of the server."),
        PolicyField("limitedUse", .words(["yes", "no"]), "Whether every token is for one use, within a minute."),
        PolicyField(
            "testAuthorities", .words(TestRule.self), "Whether tokens may rest on evidence of a test authority."),
        Enforcement.field("enforcement"),
    ]

    /// The longest issuer or audience in bytes.
    private static let longestName = 255

    /// Valid values of the required fields.
    package static var examples: [PolicySetting] {
        [
            PolicySetting("issuer", "https://attest.example.com"),
            PolicySetting("audiences", ["https://api.example.com"]),
        ]
    }

    /// Reads the field `tokens` of an app.
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        let fields = try node.members(of: Self.fields)
        guard let issuer = fields["issuer"] else {
            throw node.missing("issuer", "an https URL, such as https://attest.example.com")
        }
        guard let audiences = fields["audiences"] else {
            throw node.missing("audiences", "a list, such as [https://api.example.com]")
        }
        let names = try Self.names(audiences)
        let accepted = try fields["acceptedAudiences"].map(Self.names)
        if let stranger = accepted?.first(where: { !names.containsBytes(of: $0) }) {
            throw (fields["acceptedAudiences"] ?? node).error("\(stranger.excerpt) is none of the audiences")
        }
        self.init(
            issuer: try Self.issuer(issuer), audiences: names, acceptedAudiences: accepted,
            life: try fields["life"].map(Self.life) ?? Self.standardLife,
            key: try fields["key"]?.word(KeyRule.self) ?? .required,
            nonce: try fields["nonce"]?.word(NonceRule.self) ?? .none,
            limitedUse: try fields["limitedUse"].map(Self.flag) ?? false,
            testAuthorities: try fields["testAuthorities"]?.word(TestRule.self) ?? .refuse,
            enforcement: try fields["enforcement"]?.word(Enforcement.self) ?? .reject)
    }

    /// An issuer as OpenID Connect Discovery 1.0 section 4.1 demands it: what follows is appended to it.
    private static func issuer(_ node: PolicyNode) throws(PolicyError) -> String {
        let text = try node.text()
        let rest = text.utf8.dropFirst(8)
        guard text.hasPrefix("https://"), !rest.isEmpty, text.utf8.count <= longestName,
            text.utf8.last != UInt8(ascii: "/"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#"?#"\@"#.utf8.contains($0) })
        else {
            throw node.error(
                "expected an https URL without a slash at its end, user, query and fragment, found \(node.found)")
        }
        return text
    }

    private static func names(_ node: PolicyNode) throws(PolicyError) -> [String] {
        let names = try node.uniqueTexts()
        for name in names where !isAudience(name) {
            throw node.error(
                "expected audiences of 1 to \(longestName) printable ASCII characters without spaces, found "
                    + "\"\(name.excerpt)\"")
        }
        return names
    }

    /// Whether a text may be an audience: printable ASCII, so that no reader normalises it, and without line ends.
    static func isAudience(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""\"#.utf8.contains($0) }
    }

    private static func life(_ node: PolicyNode) throws(PolicyError) -> Double {
        let seconds = try node.duration()
        guard (shortestLife...longestLife).contains(seconds) else {
            throw node.error("expected 1m to 60m, found \(node.found)")
        }
        return seconds
    }

    private static func flag(_ node: PolicyNode) throws(PolicyError) -> Bool {
        let text = try node.text()
        guard ["yes", "no"].containsBytes(of: text) else { throw node.mismatch(with: ["yes", "no"]) }
        return text.isByteEqual(to: "yes")
    }

    /// The weak settings.
    package var remarks: [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        if key == .optional {
            remarks.append(
                PolicyRemark(
                    "key",
                    "optional: a token without a key that leaks in transit or in a log can be used until it ends"))
        }
        if life > 900 {
            remarks.append(
                PolicyRemark(
                    "life",
                    "\(PolicyNode.text(ofSeconds: life)) is long: services that check tokens offline accept those of a "
                        + "blocked device so long"))
        }
        if testAuthorities == .allow {
            remarks.append(
                PolicyRemark("testAuthorities", "allow: tokens that no genuine device stands behind are accepted"))
        }
        return remarks + enforcement.remarks("enforcement")
    }

    /// The settings in force.
    package var settings: [PolicySetting] {
        [
            PolicySetting("issuer", issuer), PolicySetting("audiences", audiences),
            PolicySetting("acceptedAudiences", acceptedAudiences), PolicySetting("life", seconds: life),
            PolicySetting("key", key.rawValue), PolicySetting("nonce", nonce.rawValue),
            PolicySetting("limitedUse", limitedUse ? "yes" : "no"),
            PolicySetting("testAuthorities", testAuthorities.rawValue),
            PolicySetting("enforcement", enforcement.rawValue),
        ]
    }
}

/// The requirements of one app.
package final class TokenExpectations: EngineExpectations {
    /// The name of the policy's app.
    package let app: String
    /// The app's section.
    package let configuration: TokenConfiguration
    let modes: CheckModes

    /// Prepares the expectations for an app.
    package init(app: String, configuration: TokenConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
    }
}
