package import AssayCore

extension TokenConfiguration: SectionConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        let fields = try Self.table.read(node, files, into: &values)
        let format = values.shape.format
        if let node = fields["issuer"], !values.issuer.hasPrefix("https://"), values.testAuthorities == .refuse {
            throw node.error(
                "an issuer on this machine without TLS is for tests, whose tokens this policy refuses: use an https URL, or set "
                    + "testAuthorities: allow, but never in production")
        }
        for (name, isAllowed) in [
            ("callerEvidence", values.callerEvidence == .allow), ("noEvidence", values.noEvidence == .allow),
        ] {
            if let node = fields[name], isAllowed, format != .assay {
                throw node.error(
                    "\(name): allow requires format: assay: no other format has a claim by which services refuse such tokens"
                )
            }
        }
        if format == .clientAttestation {
            guard values.shape.clientID != nil else {
                throw node.missing("clientID", "the client ID of the app at the authorization server")
            }
            if let key = fields["key"], values.key == .optional {
                throw key.error("a client attestation is always bound to a key: leave it out, or say required")
            }
        }
        self.init(values)
    }

    /// The checks that `annotations` and `riskChecks` name.
    package var namedChecks: [(field: String, check: String)] {
        var listed: [String] = []
        if case .listed(let names) = values.shape.annotations { listed = names }
        return listed.map { ("annotations", $0) } + values.riskChecks.map { ("riskChecks", $0) }
    }

    package static let table: [SectionField<Values>] = [
        .field(
            "issuer", \.issuer, .text(objection(toIssuer:)),
            "iss of tokens: the https URL below which the service is reached; for tests, also http://127.0.0.1, [::1] or localhost.",
            required: "an https URL, such as https://attest.example.com"
        ).example("https://attest.example.com"),
        .field(
            "audiences", \.audiences, .texts(objection(toAudience:)), "The audiences for which tokens are issued.",
            required: "a list, such as [https://api.example.com]"
        ).example("https://api.example.com"),
        .field(
            "acceptedAudiences", \.acceptedAudiences, .texts(objection(toAudience:)),
            "The audiences whose tokens are accepted here; all without it."
        ).objection { values in
            values.acceptedAudiences.first { !values.audiences.containsBytes(of: $0) }.map {
                "\($0.excerpt) is none of the audiences"
            }
        },
        .field(
            "life", \.life, .duration(shortestLife...longestLife, "1m to 60m"),
            "How long a token is valid, 1m to 60m; 5m without it."
        ).weak {
            guard $0.life > 900 else { return nil }
            return
                "\(PolicyNode.text(ofSeconds: $0.life)) is long: services that verify tokens offline accept tokens of "
                + "a blocked device until they expire"
        },
        .field(
            "riskLife", \.riskLife, .duration(shortestLife...longestLife, "1m to 60m"),
            "The life of a token if a check of riskChecks was annotated; that of life without it."
        ).objection { values in
            guard let short = values.riskLife, short >= values.life else { return nil }
            return "it shortens nothing: life is \(PolicyNode.text(ofSeconds: values.life))"
        },
        .field(
            "riskChecks", \.riskChecks, .texts, "The checks that shorten the life of a token; every check without it."
        ).allowed(if: { $0.riskLife != nil }, "it has no effect without riskLife"),
        .field(
            "hourlyTokens", \.hourlyTokens, .number(1...10_000, "a whole number from 1 to 10000"),
            "How often an hour a device gets tokens from one process; any number without it."),
        .field("key", \.key, .word, "Whether tokens must be bound to a key of the client.").weak(
            if: { $0.key == .optional },
            "optional: a token without a key that leaks in transit or in a log can be used until it ends"),
        .field("nonce", \.nonce, .word, "Whether DPoP proofs must contain a nonce of the server."),
        only(
            .assay, .field("limitedUse", \.limitedUse, .flag, "Whether every token is for one use, within a minute.")
        ) { $0.limitedUse },
        .field(
            "testAuthorities", \.testAuthorities, .word, "Whether tokens may rest on evidence of a test authority."
        ).weak(if: { $0.testAuthorities == .allow }, "allow: accepts tokens that rest on no genuine device"),
        .field(
            "callerEvidence", \.callerEvidence, .word,
            "Whether tokens may rest on evidence that only its writer vouches for, such as an answer of Google in a record."
        ).weak(
            if: { $0.callerEvidence == .allow },
            "allow: gives tokens for what the writer of a record says of a device; services must refuse env: caller"),
        .field(
            "noEvidence", \.noEvidence, .word,
            "Whether tokens may rest on the statement of a device that it has no evidence."
        ).weak(
            if: { $0.noEvidence == .allow },
            "allow: gives tokens to any program that states that its device has no evidence; services must refuse env: none, or give "
                + "such tokens less"),
        SectionField(
            "debugTokens", .list(.mapping),
            "Secrets for which tokens are issued without evidence, to simulators and CI."
        ) {
            [PolicySetting("debugTokens", $0.debugTokens.isEmpty ? nil : .sequence($0.debugTokens.map(\.node)))]
        } read: { (values, node, _) throws(PolicyError) in
            values.debugTokens = try DebugToken.list(node)
        }.objection {
            guard $0.testAuthorities == .refuse else { return nil }
            return
                "a debug token gives tokens with env: test, which this policy refuses; set testAuthorities: allow, but never "
                + "in production"
        }.weak {
            guard !$0.debugTokens.isEmpty else { return nil }
            let names = $0.debugTokens.map(\.name).joined(separator: ", ")
            return "a holder of one of these secrets gets tokens without a device: \(names)"
        },
        .enforcement(\.enforcement),
        .field("format", \.shape.format, .word, "The format of issued tokens."),
        only(
            .clientAttestation,
            .field(
                "clientID", \.shape.clientID, .text(objection(toClientID:)),
                "sub of tokens in the format oauth-client-attestation.")
        ) { $0.shape.clientID != nil },
        only(
            .approov,
            .field("approovForm", \.shape.approovForm, .word, "The form of tokens in the format approov.")
        ) { $0.shape.approovForm == .jwe },
        only(
            .approov,
            .field("refused", \.shape.refused, .word, "What rejected evidence gets in the format approov.")
        ) { $0.shape.refused == .token },
        only(
            .approov,
            .field("address", \.shape.address, .word, "Whether tokens in the format approov have the client's address.")
        ) { $0.shape.address == .none },
        only(
            .approov,
            .field(
                "messageKey", \.shape.messageKey, .word,
                "Whether the app gets the account's key for message signing with a token in the format approov.")
        ) { $0.shape.messageKey == .deliver },
        .field(
            "annotations", \.shape.annotations, annotationRule,
            "The annotated checks that a token names: none, all or a list. Without it none in the format approov, all in assay."
        ),
        .field(
            "failover", \.shape.failover, .word,
            "Whether a failover instance issues tokens without evidence in the format approov."
        ).objection {
            $0.shape.failover == .issue && $0.shape.format != .approov
                ? "failover: issue requires format: approov, because a failover token has no audience and no key" : nil
        }.weak(
            if: { $0.shape.failover == .issue },
            "issue: while the first instance is unreachable, every client of a failover instance gets tokens without evidence"
        ),
        only(
            .assay,
            .field("ear", \.shape.ear, .word, "Whether tokens may have the claims of EAR (draft-ietf-rats-ear).")
        ) { $0.shape.ear == .allow },
        only(
            .assay,
            SectionField("claims", .mapping, "The claims of the app's own that tokens may have, each with its type.") {
                [PolicySetting("claims", AppClaimRule.node($0.claims))]
            } read: { (values, node, _) throws(PolicyError) in
                values.claims = try AppClaimRule.list(node)
            }
        ) { !$0.claims.isEmpty },
        .field(
            "configuration", \.configuration, .word,
            "Whether the app gets its signed configuration with its tokens: none, or pins for the pins of the ledger."
        ).weak(
            if: { $0.configuration == .pins && $0.shape.format == .approov && $0.shape.refused == .token },
            "pins: rejected evidence gets no configuration, so that an app without the newest one sees that it was rejected, which "
                + "refused: token hides otherwise"),
    ]

    /// Remarks that a field has no effect with other formats.
    private static func only(
        _ format: Format, _ field: SectionField<Values>, isSet: @escaping @Sendable (Values) -> Bool
    ) -> SectionField<Values> {
        field.weak(
            if: { isSet($0) && $0.shape.format != format }, "has no effect unless format is \(format.rawValue)")
    }

    /// The longest issuer or audience in bytes.
    private static let longestName = 255

    /// Why a text is no issuer as OpenID Connect Discovery 1.0 section 4.1 demands it: what follows is appended to it.
    private static func objection(toIssuer text: String) -> String? {
        let isIssuer =
            (text.hasPrefix("https://") && text.utf8.count > 8 || isOnLoopback(text)) && text.utf8.count <= longestName
            && text.utf8.last != UInt8(ascii: "/")
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#"?#"\@"#.utf8.contains($0) }
        return isIssuer
            ? nil
            : "expected an https URL without a slash at its end, user, query and fragment, found \"\(text.excerpt)\""
    }

    /// Whether a text is an http URL of this machine: what follows the host is a port or a path.
    private static func isOnLoopback(_ text: String) -> Bool {
        for host in ["127.0.0.1", "[::1]", "localhost"] where text.utf8.starts(with: "http://\(host)".utf8) {
            let rest = text.utf8.dropFirst(7 + host.utf8.count)
            guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty || rest.first == UInt8(ascii: "/") }
            let port = rest.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            return !port.isEmpty && port.allSatisfy { (0x30...0x39).contains($0) }
        }
        return false
    }

    private static func objection(toClientID text: String) -> String? {
        isAudience(text)
            ? nil : "expected 1 to \(longestName) printable ASCII characters, found \"\(text.excerpt)\""
    }

    private static func objection(toAudience text: String) -> String? {
        isAudience(text)
            ? nil
            : "expected audiences of 1 to \(longestName) printable ASCII characters without spaces, found "
                + "\"\(text.excerpt)\""
    }

    /// Whether a text may be an audience: printable ASCII, so that no reader normalises it, and without line ends.
    static func isAudience(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""\"#.utf8.contains($0) }
    }

    private static let annotationRule = FieldForm<AnnotationRule>(.list(.text)) { rule in
        switch rule {
        case .none: .scalar("none")
        case .all: .scalar("all")
        case .listed(let names): FieldForm<[String]>.texts.show(names)
        }
    } read: { (node, _) throws(PolicyError) in
        guard case .scalar(let text) = node.content else { return .listed(try node.uniqueTexts()) }
        if text.isByteEqual(to: "none") { return .none }
        if text.isByteEqual(to: "all") { return .all }
        throw node.error("expected none, all or a list of checks, found \(node.found)")
    }
}

/// The requirements of one app.
package final class TokenExpectations: EngineExpectations {
    package let app: String
    /// The app's section.
    package let configuration: TokenConfiguration
    let modes: CheckModes
    /// Whether the app accepts evidence of development builds, and so the tokens for it.
    let admitsDevelopmentBuilds: Bool
    /// SHA-256 of the policy file; nil for a policy of code.
    let policyDigest: String?

    /// Prepares the expectations for an app that accepts no development builds.
    package convenience init(app: String, configuration: TokenConfiguration, modes: [CheckID: CheckMode]) {
        self.init(
            app: app, configuration: configuration, modes: modes, admitsDevelopmentBuilds: false, policyDigest: nil)
    }

    /// Prepares the expectations for an app of a policy.
    package convenience init(app: PolicyApp, configuration: TokenConfiguration, policy: VerificationPolicy) {
        self.init(
            app: app.name, configuration: configuration, modes: policy.modes(of: app),
            admitsDevelopmentBuilds: app.configurations.contains { $0.admitsDevelopmentBuilds },
            policyDigest: policy.digest)
    }

    private init(
        app: String, configuration: TokenConfiguration, modes: [CheckID: CheckMode], admitsDevelopmentBuilds: Bool,
        policyDigest: String?
    ) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        self.admitsDevelopmentBuilds = admitsDevelopmentBuilds
        self.policyDigest = policyDigest
    }
}
