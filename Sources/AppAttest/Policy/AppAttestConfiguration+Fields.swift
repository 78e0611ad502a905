package import AssayCore

extension AppAttestConfiguration {
    /// The fields of the section, with their defaults.
    package struct Values: Sendable {
        /// The App IDs: App ID prefix, a period, bundle identifier.
        package var appIDs: [String] = []
        package var environments: [AttestEnvironment] = []
        /// Whether the ledger or the caller checks challenges.
        package var challenge = ChallengeSource.ledger
        package var clientData = ClientDataBinding.raw
        /// The allowed steps of an assertion's counter.
        package var counter = CounterAdvance.Rule.increasing
        /// The treatment of a further attestation of an enrolled key. Without a challenge of the ledger, a recorded attestation would
        /// pass again: the default is then `refuse`.
        package var reattestation: Reattestation {
            get { statedReattestation ?? (challenge == .ledger ? .refresh : .refuse) }
            set { statedReattestation = newValue }
        }
        private var statedReattestation: Reattestation?
        package var account = AccountBinding.match
        /// How many keys one account may have; nil for any number.
        package var maximumKeys: AccountKeyLimit?
        /// The lowest operating system version; nil for any.
        package var minimumOSVersion: MinimumOSVersion?
        /// How long before its attestation the certificate of a key may begin, in seconds; nil for any time.
        package var maximumCertificateAge: Double?
        package var versions = VersionRules<DottedVersion>()
        /// The allowed validation categories; nil for all appropriate ones.
        package var validationCategories: [ValidationCategory]?
        package var receipt = ReceiptRules()
        /// The requirements for requests that carry assertions; nil if the app sends none.
        package var requests: RequestRules?
        /// Roots of a test authority in place of Apple's; empty for Apple's.
        package var testRoots: [Certificate] = []
    }
}

extension AppAttestConfiguration: SectionConfiguration {
    /// The section with the rules of requests.
    package func missingField(for kind: EvidenceKind) -> String? {
        kind == .appAttestRequest && values.requests == nil ? "requests" : nil
    }

    /// The fields of `appAttest` in a policy and of `assay verify --set`.
    package static let table: [SectionField<Values>] = [
        .field(
            "appIDs", \.appIDs, .list(of: .text(objection(toAppID:))), "An App ID that is allowed.",
            required: "a list of App IDs, such as 1234567890.com.example.shop"
        ).example("1234567890.com.example.app"),
        .field(
            "environments", \.environments, .list(of: .word), "An environment to allow.",
            required: "a list of production, development"
        ).example("production").weak(
            if: { $0.environments.contains(.development) },
            "development admits builds from Xcode of every member of the team; use it for tests only"),
        .challenge(\.challenge, required: "allowed are ledger, caller").example("ledger"),
        clientData,
        .field(
            "counter", \.counter, .text(\.text, read: counterRule),
            "Which steps of a counter are allowed: increasing, successor or window(N)."),
        .reattestation(\.reattestation, \.challenge),
        .accounts(\.account, \.maximumKeys),
        minimumOSVersion.example("16.0").needed(by: .appAttestAttestationOSVersion).weak(
            if: { $0.minimumOSVersion == nil }, "not set: systems with known jailbreaks are accepted"),
        .versions(
            \.versions, minimum: "minimumBundleVersion", "The lowest bundle version.", .version, example: "1",
            neededBy: CheckID.appAttestAttestationBundleVersion, CheckID.appAttestAssertionBundleVersion),
        .field(
            "maximumCertificateAge", \.maximumCertificateAge, age,
            "How long ago the certificate of an attestation may have become valid."
        ).example("2d").needed(by: .appAttestAttestationCertificateAge).weak(
            if: { $0.maximumCertificateAge.map { $0 <= 86_400 } ?? false },
            "rejects all genuine devices: Apple's certificates begin one day before it issues them; allow more than 1d"),
        .field(
            "validationCategories", \.validationCategories, .list(of: .word), "A way of distribution that is allowed."
        ).weak { values in
            guard let categories = values.validationCategories else {
                return "not set: apps are accepted however they were installed, such as by Xcode or enterprise "
                    + "distribution"
            }
            guard categories.contains(.development), !values.environments.contains(.development) else { return nil }
            return "development admits apps that Xcode installed; use it for tests only"
        },
        .group("receipt", \.receipt, "What is demanded of refreshed receipts.", receiptTable),
        SectionField("testRoots", .list(.file), "PEM roots of a test authority in place of Apple's.") { _ in
            []
        } read: { (values, node, files) throws(PolicyError) in
            for element in try node.elements() { values.testRoots += try certificates(in: element, files: files) }
        }.weak(
            if: { !$0.testRoots.isEmpty },
            "a test authority replaces Apple's roots: the holder of its key can make evidence; never use it in production"
        ),
        .requests(\.requests),
    ]

    private static let receiptTable: [SectionField<ReceiptRules>] = [
        // A server requests a refreshed receipt and judges it at once.
        .field("maximumAge", \.maximumAge, age, "How old a refreshed receipt may be.").weak {
            guard $0.maximumAge > 3600 else { return nil }
            return
                "\(PolicyNode.text(ofSeconds: $0.maximumAge)) is long: the risk metric is that of the receipt's time; "
                + "Apple recommends 5m"
        },
        .field(
            "maximumRiskMetric", \.maximumRiskMetric, .number(0...Int.max, "a whole number from 0 on"),
            "The greatest risk metric that is allowed."
        ).example("10").needed(by: [.appAttestReceiptRiskMetric, .appAttestAssertionRiskMetric]).states(
            .appAttestAssertionRiskMetric),
        .field(
            "maximumRiskMetricAge", \.maximumRiskMetricAge, age,
            "How old the risk metric of an assertion's key may be."
        ).allowed(
            if: { $0.maximumRiskMetric != nil },
            "maximumRiskMetricAge is for a policy with maximumRiskMetric, which is missing"),
        .field("keep", \.keep, .word, "How receipts are kept, to refresh them."),
    ]

    private static let age = FieldForm<Double>.duration(0...10 * 366 * 86_400, "at most ten years")

    private static let minimumOSVersion = SectionField<Values>(
        "minimumOSVersion", .text, "The lowest operating system version of an attestation.",
        parts: [
            PolicyField("minimumOSVersion.iOS", .text, "The lowest version of iOS."),
            PolicyField("minimumOSVersion.macOS", .text, "The lowest version of macOS."),
        ]
    ) { values in
        guard let versions = values.minimumOSVersion, versions.any == nil else {
            return [PolicySetting("minimumOSVersion", values.minimumOSVersion?.any?.description)]
        }
        return ApplePlatform.allCases.map {
            PolicySetting("minimumOSVersion.\($0.rawValue)", versions.byPlatform[$0]?.description)
        }
    } read: { (values, node, files) throws(PolicyError) in
        guard case .mapping = node.content else {
            values.minimumOSVersion = MinimumOSVersion(try FieldForm<DottedVersion>.version.read(node, files))
            return
        }
        var versions: [ApplePlatform: DottedVersion] = [:]
        for (name, value) in try node.members(ApplePlatform.allCases.map(\.rawValue)) {
            guard let platform = ApplePlatform(rawValue: name) else { continue }
            versions[platform] = try FieldForm<DottedVersion>.version.read(value, files)
        }
        guard !versions.isEmpty else {
            throw node.error("expected a version, or one by platform, found an empty mapping")
        }
        values.minimumOSVersion = MinimumOSVersion(versions)
    }

    private static let clientData = SectionField<Values>(
        "clientData", .text, "Where client data carries the challenge: raw or none.",
        required: "allowed are raw, none, { challengeAt: JSON POINTER }",
        parts: [PolicyField("clientData.challengeAt", .text, "The JSON pointer to the challenge in client data.")]
    ) {
        switch $0.clientData {
        case .raw: [PolicySetting("clientData", "raw")]
        case .none: [PolicySetting("clientData", "none")]
        case .challengeAt(let pointer): [PolicySetting("clientData.challengeAt", pointer.description)]
        }
    } read: { (values, node, _) throws(PolicyError) in
        values.clientData = try binding(node)
    }.example("raw").objection {
        guard $0.challenge == .ledger, case .none = $0.clientData else { return nil }
        return "none and challenge: ledger exclude each other: no assertion would consume a challenge; say where the "
            + "client data has it, raw or { challengeAt: JSON POINTER }, or set challenge: caller"
    }.weak {
        guard case .none = $0.clientData else { return nil }
        return "none: assertions are compared with no challenge; only the counter stops one that is sent late or twice"
    }
}
