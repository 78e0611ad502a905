package import AssayCore
import AssayHTTPSignatures

extension ApproovConfiguration: ReadableConfiguration {
    /// Reads the field `approov` of an app in a policy file.
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        let fields = try node.members(of: Self.fields)
        var settings = Settings()
        settings.keys = try fields["keys"]?.uniqueTexts()
        if let format = try fields["format"]?.word(TokenFormat.self) { settings.format = format }
        if let header = try fields["tokenHeader"]?.text() { settings.tokenHeader = header }
        settings.tokenPrefix = try fields["tokenPrefix"]?.text()
        if let binding = try fields["binding"]?.uniqueTexts() { settings.binding = binding }
        if let rule = fields["whenAbsent"] {
            settings.whenAbsent = try AbsenceRule(reading: rule)
            guard !settings.binding.isEmpty else {
                throw rule.error("whenAbsent is for a policy with binding, which is missing")
            }
        }
        if let words = fields["statusWords"] {
            for (name, value) in try words.members(of: Self.fields, in: "statusWords") {
                if let word = ApproovStatusWord(rawValue: name) {
                    settings.statusWords[word] = try value.word(StatusWordRule.self)
                }
            }
        }
        settings.failover = try fields["failover"]?.word(FailoverRule.self)
        if let issuers = try fields["issuers"]?.uniqueTexts() { settings.issuers = issuers }
        if let issuers = try fields["longLivedIssuers"]?.uniqueTexts() { settings.longLivedIssuers = issuers }
        if let audiences = try fields["audiences"]?.uniqueTexts() { settings.audiences = audiences }
        if let annotations = fields["annotations"] { settings.annotations = try AnnotationRules(reading: annotations) }
        settings.maximumLifetime = try fields["maximumLifetime"]?.duration()
        settings.messageSigning = try fields["messageSigning"].map { (node) throws(PolicyError) in
            try MessageSigning(reading: node, tokenHeader: settings.tokenHeader)
        }
        settings.textSigning = try fields["textSigning"].map { (node) throws(PolicyError) in
            try TextSigning(reading: node)
        }
        if let node = fields["proof"] { settings.proof = try ProofRules(reading: node) }
        if let enforcement = try fields["enforcement"]?.word(Enforcement.self) {
            settings.enforcement = enforcement
        }
        do {
            try self.init(settings)
        } catch {
            // Report a missing failover rule at the binding, which requires it.
            guard error.field == "failover", fields["failover"] == nil else { throw error.placed(in: node) }
            throw PolicyError(
                file: node.file, line: node.line(ofField: "binding"), field: "\(node.path).failover", error.message)
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
        guard let value = try node.members(of: ApproovConfiguration.fields, in: "whenAbsent")["value"] else {
            throw node.missing(
                "value", "the text to which the app binds tokens as long as it has no value of the fields")
        }
        self = .value(try value.text())
    }
}

extension AnnotationRules {
    fileprivate init(reading node: PolicyNode) throws(PolicyError) {
        let fields = try node.members(of: ApproovConfiguration.fields, in: "annotations")
        self.init(
            preset: try fields["preset"]?.word(Preset.self), reject: try fields["reject"]?.uniqueTexts() ?? [],
            note: try fields["note"]?.uniqueTexts() ?? [],
            ignore: try fields["ignore"]?.uniqueTexts() ?? [], others: try fields["others"]?.word(Rule.self) ?? .note)
    }
}

extension MessageSigning {
    fileprivate init(reading node: PolicyNode, tokenHeader: String) throws(PolicyError) {
        let fields = try node.members(of: ApproovConfiguration.fields, in: "messageSigning")
        guard let signer = fields["signer"] else { throw node.missing("signer", "allowed are installation, account") }
        var quirks: Set<Quirk> = []
        for element in try fields["quirks"]?.elements() ?? [] {
            let quirk = try element.word(Quirk.self)
            guard quirks.insert(quirk).inserted else {
                throw element.error("\(quirk.rawValue) is in the list twice")
            }
        }
        self.init(
            signer: try signer.word(Signer.self), keys: try fields["keys"]?.uniqueTexts(),
            components: try fields["components"]?.uniqueTexts() ?? [
                "@method", "@target-uri", tokenHeader.lowercased(),
            ],
            freshness: try FreshnessWindow(reading: fields["freshness"]),
            replay: try fields["replay"]?.word(ReplayGuard.self) ?? .ledger, quirks: quirks,
            body: try fields["body"]?.word(RequestRules.BodyRule.self) ?? .verified)
    }
}
