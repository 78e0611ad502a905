package import AssayCore
package import FoundationEssentials

extension ApproovConfiguration: SectionConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var settings = Settings()
        let fields = try Self.table.read(node, files, into: &settings)
        do {
            try self.init(settings)
        } catch {
            // Report a missing failover rule at the binding, which requires it.
            guard error.field == "failover", fields["failover"] == nil else { throw error.placed(in: node) }
            throw PolicyError(
                file: node.file, line: node.line(ofField: "binding"), field: "\(node.path).failover", error.message)
        }
    }

    /// The warning for an app without a key. A section that names keys may use a key store.
    package func remarks(on policyKeys: [NamedKey], app: String, at now: Date) -> [PolicyRemark] {
        guard values.keys == nil else { return [] }
        let claim = KeyClaim(app: app, names: nil, scopes: [app])
        let selection = KeySelection<ApproovKey>(policyKeys, for: claim, at: now)
        guard selection.live.isEmpty, selection.others.isEmpty else { return [] }
        return [
            PolicyRemark(
                "keys",
                "not set, and no key of the policy is for this app: every token is an error (no-key) unless the key store has a key "
                    + "for it; name its keys here")
        ]
    }

    /// The section with the rules of signed messages or texts.
    package func missingField(for kind: EvidenceKind) -> String? {
        switch kind {
        case .approovMessage: values.messageSigning == nil ? "messageSigning" : nil
        case .approovText: values.textSigning == nil ? "textSigning" : nil
        default: nil
        }
    }

    /// The fields of `approov` in a policy, for its reader and `assay verify --set`.
    package static let table: [SectionField<Settings>] = [
        .field("keys", \.keys, .texts, "The name of a key that tokens are verified with."),
        .field("format", \.format, .word, "The form that tokens of the API have."),
        .field("tokenHeader", \.tokenHeader, .text, "The field of a request that holds the token."),
        .field(
            "tokenPrefix", \.tokenPrefix, .text, "What stands before the token in its field, such as 'Bearer '."),
        .field("binding", \.binding, .texts, "A field that tokens are bound to, in their order.").weak(
            if: { $0.binding.isEmpty },
            "not set: a stolen token can be used with any request; bind tokens to a field such as Authorization"),
        whenAbsent,
        SectionField(
            "failover", .words(FailoverRule.self), "Whether tokens of the failover service are accepted."
        ) {
            [PolicySetting("failover", ($0.failover ?? .accept).rawValue)]
        } read: { (settings, node, _) throws(PolicyError) in
            settings.failover = try node.word(FailoverRule.self)
        }.example("reject").weak(
            if: { $0.failover != .reject },
            "accept, which is the default without binding: tokens of the failover service name no device and are bound to "
                + "nothing; reject refuses them"),
        .field("issuers", \.issuers, .texts, "An issuer that tokens of apps and of the failover may name."),
        .field(
            "longLivedIssuers", \.longLivedIssuers, .texts,
            "An issuer of long-lived tokens of servers that may come in."),
        .field("audiences", \.audiences, .texts, "A name of which the token's audience must have one."),
        statusWords,
        .group("annotations", \.annotations, "How annotations of devices count.", AnnotationRules.table),
        .field("maximumLifetime", \.maximumLifetime, .duration, "How long a token may still live, such as 10m.").weak(
            if: { $0.maximumLifetime == nil },
            "not set: example tokens, which live for an hour, are accepted; app tokens need 10m"),
        .group(
            "messageSigning", \.messageSigning, "What is demanded of signed messages.",
            else: {
                MessageSigning(
                    signer: .installation, components: ["@method", "@target-uri", $0.tokenHeader.lowercased()])
            }, MessageSigning.table),
        .group(
            "textSigning", \.textSigning, "What is demanded of signed texts.", else: { _ in TextSigning() },
            TextSigning.table),
        .group(
            "proof", \.proof, "What is demanded of measurement proofs.", else: { _ in ProofRules() }, ProofRules.table
        ).remarks { $0.proof?.remarks($0.format) ?? [] },
        .enforcement(\.enforcement),
    ]

    private static let whenAbsent = SectionField<Settings>(
        "whenAbsent", .words(AbsenceRule.Word.self), "What becomes of a request that has none of the bound fields.",
        parts: [
            PolicyField(
                "whenAbsent.value", .text, "What the token of a request that has none of the bound fields is bound to.")
        ]
    ) { settings in
        guard !settings.binding.isEmpty else { return [PolicySetting("whenAbsent", nil as String?)] }
        return switch settings.whenAbsent {
        case .fail: [PolicySetting("whenAbsent", AbsenceRule.Word.fail.rawValue)]
        case .none: [PolicySetting("whenAbsent", AbsenceRule.Word.none.rawValue)]
        case .value(let text): [PolicySetting("whenAbsent.value", text)]
        }
    } read: { (settings, node, _) throws(PolicyError) in
        settings.whenAbsent = try AbsenceRule(reading: node)
    }.objection {
        $0.binding.isEmpty ? "whenAbsent is for a policy with binding, which is missing" : nil
    }.weak(
        if: { $0.whenAbsent == .none },
        "none: a token that is bound to nothing passes with any request that leaves the bound fields away")

    private static let statusWords = SectionField<Settings>(
        "statusWords", .mapping, "Status words that pass in the place of a token.",
        parts: ApproovStatusWord.allCases.map {
            PolicyField("statusWords.\($0.rawValue)", .words(StatusWordRule.self), "What becomes of this word.")
        }
    ) {
        $0.statusWords.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            PolicySetting("statusWords.\($0.key.rawValue)", $0.value.rawValue)
        }
    } read: { (settings, node, _) throws(PolicyError) in
        for (name, value) in try node.members(ApproovStatusWord.allCases.map(\.rawValue)) {
            guard let word = ApproovStatusWord(rawValue: name) else { continue }
            settings.statusWords[word] = try value.word(StatusWordRule.self)
        }
    }.remarks { settings in
        settings.statusWords.filter { $0.value == .annotate }.keys.map(\.rawValue).sorted().map {
            PolicyRemark(
                "statusWords.\($0)",
                $0.isByteEqual(to: ApproovStatusWord.empty.rawValue)
                    ? "annotate: a request without any token passes, with no proof of app or device"
                    : "annotate: any client can send this word, and such a request passes without any proof of app or device"
            )
        }
    }
}

extension ApproovConfiguration.AbsenceRule {
    /// `fail`, `none`, or `{ value: TEXT }`.
    fileprivate init(reading node: PolicyNode) throws(PolicyError) {
        guard case .mapping = node.content else {
            guard case .scalar(let text) = node.content, let word = Word(rawValue: text) else {
                throw node.error("expected fail, none or { value: TEXT }, found \(node.found)")
            }
            self = word == .fail ? .fail : .none
            return
        }
        guard let value = try node.members(["value"])["value"] else {
            throw node.missing(
                "value", "the text to which the app binds tokens as long as it has no value of the fields")
        }
        self = .value(try value.text())
    }
}
