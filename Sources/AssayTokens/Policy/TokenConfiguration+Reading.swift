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
        PolicyField(
            "callerEvidence", .words(CallerRule.self),
            "Whether tokens may rest on evidence that only its writer vouches for, such as an answer of Google in a record."
        ),
        PolicyField(
            "debugTokens", .list(.mapping),
            "Secrets for which tokens are issued without evidence, to simulators and CI."),
        Enforcement.field("enforcement"),
        PolicyField("format", .words(Format.self), "The format of issued tokens."),
        PolicyField("clientID", .text, "sub of tokens in the format oauth-client-attestation."),
        PolicyField("approovForm", .words(ApproovForm.self), "The form of tokens in the format approov."),
        PolicyField("refused", .words(RefusedRule.self), "What rejected evidence gets in the format approov."),
        PolicyField(
            "failover", .words(FailoverRule.self),
            "Whether a failover instance issues tokens without evidence in the format approov."),
        PolicyField("ear", .words(EARRule.self), "Whether tokens may have the claims of EAR (draft-ietf-rats-ear)."),
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
        let testRule = try fields["testAuthorities"]?.word(TestRule.self) ?? .refuse
        let debugTokens = try fields["debugTokens"].map(DebugToken.list) ?? []
        if let node = fields["debugTokens"], testRule == .refuse {
            throw node.error(
                "a debug token gives tokens with env: test, which this policy refuses; set testAuthorities: allow, but "
                    + "never in production")
        }
        let callerRule = try fields["callerEvidence"]?.word(CallerRule.self) ?? .refuse
        let shape = try Self.shape(fields, node)
        if let node = fields["callerEvidence"], callerRule == .allow, shape.format != .assay {
            throw node.error(
                "callerEvidence: allow requires format: assay: no other format has a claim by which services refuse such tokens"
            )
        }
        self.init(
            issuer: try Self.issuer(issuer), audiences: names, acceptedAudiences: accepted,
            life: try fields["life"].map(Self.life) ?? Self.standardLife,
            key: try fields["key"]?.word(KeyRule.self) ?? .required,
            nonce: try fields["nonce"]?.word(NonceRule.self) ?? .none,
            limitedUse: try fields["limitedUse"].map(Self.flag) ?? false,
            testAuthorities: testRule, callerEvidence: callerRule, debugTokens: debugTokens,
            enforcement: try fields["enforcement"]?.word(Enforcement.self) ?? .reject, shape: shape)
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

    private static func shape(_ fields: [String: PolicyNode], _ node: PolicyNode) throws(PolicyError) -> Shape {
        var shape = Shape()
        shape.format = try fields["format"]?.word(Format.self) ?? .assay
        if shape.format == .clientAttestation {
            guard fields["clientID"] != nil else {
                throw node.missing("clientID", "the client ID of the app at the authorization server")
            }
            if let key = fields["key"], try key.word(KeyRule.self) == .optional {
                throw key.error("a client attestation is always bound to a key: leave it out, or say required")
            }
        }
        if let clientID = fields["clientID"] {
            let text = try clientID.text()
            guard isAudience(text) else {
                throw clientID.error("expected 1 to \(longestName) printable ASCII characters, found \(clientID.found)")
            }
            shape.clientID = text
        }
        shape.approovForm = try fields["approovForm"]?.word(ApproovForm.self) ?? .jws
        shape.refused = try fields["refused"]?.word(RefusedRule.self) ?? .verdict
        shape.failover = try fields["failover"]?.word(FailoverRule.self) ?? .refuse
        if let failover = fields["failover"], shape.failover == .issue, shape.format != .approov {
            throw failover.error(
                "failover: issue requires format: approov, because a failover token has no audience and no key")
        }
        shape.ear = try fields["ear"]?.word(EARRule.self) ?? .refuse
        return shape
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
                    "\(PolicyNode.text(ofSeconds: life)) is long: services that verify tokens offline accept tokens of "
                        + "a blocked device until they expire"))
        }
        if testAuthorities == .allow {
            remarks.append(PolicyRemark("testAuthorities", "allow: accepts tokens that rest on no genuine device"))
        }
        if callerEvidence == .allow {
            remarks.append(
                PolicyRemark(
                    "callerEvidence",
                    "allow: gives tokens for what the writer of a record says of a device; services must refuse env: caller"
                ))
        }
        if !debugTokens.isEmpty {
            remarks.append(
                PolicyRemark(
                    "debugTokens",
                    "a holder of one of these secrets gets tokens without a device: \(debugTokens.map(\.name).joined(separator: ", "))"
                ))
        }
        if shape.failover == .issue {
            remarks.append(
                PolicyRemark(
                    "failover",
                    "issue: while the first instance is unreachable, every client of a failover instance gets tokens "
                        + "without evidence"))
        }
        for (name, isSet, format) in [
            ("limitedUse", limitedUse, .assay), ("clientID", shape.clientID != nil, .clientAttestation),
            ("refused", shape.refused == .token, .approov),
            ("approovForm", shape.approovForm == .jwe, .approov), ("ear", shape.ear == .allow, .assay),
        ] as [(String, Bool, Format)] where isSet && shape.format != format {
            remarks.append(PolicyRemark(name, "has no effect unless format is \(format.rawValue)"))
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
            PolicySetting("callerEvidence", callerEvidence.rawValue),
            PolicySetting("debugTokens", debugTokens.isEmpty ? nil : .sequence(debugTokens.map(\.node))),
            PolicySetting("enforcement", enforcement.rawValue), PolicySetting("format", shape.format.rawValue),
            PolicySetting("clientID", shape.clientID), PolicySetting("approovForm", shape.approovForm.rawValue),
            PolicySetting("refused", shape.refused.rawValue), PolicySetting("failover", shape.failover.rawValue),
            PolicySetting("ear", shape.ear.rawValue),
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
    /// Whether the app accepts evidence of development builds, and so the tokens for it.
    let admitsDevelopmentBuilds: Bool

    /// Prepares the expectations for an app that accepts no development builds.
    package convenience init(app: String, configuration: TokenConfiguration, modes: [CheckID: CheckMode]) {
        self.init(app: app, configuration: configuration, modes: modes, admitsDevelopmentBuilds: false)
    }

    /// Prepares the expectations for an app of a policy.
    package convenience init(app: PolicyApp, configuration: TokenConfiguration, policy: VerificationPolicy) {
        self.init(
            app: app.name, configuration: configuration, modes: policy.modes(of: app),
            admitsDevelopmentBuilds: app.configurations.contains { $0.admitsDevelopmentBuilds })
    }

    private init(
        app: String, configuration: TokenConfiguration, modes: [CheckID: CheckMode], admitsDevelopmentBuilds: Bool
    ) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        self.admitsDevelopmentBuilds = admitsDevelopmentBuilds
    }
}
