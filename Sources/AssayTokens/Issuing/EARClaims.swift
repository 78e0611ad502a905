import AssayCore

/// The claims of an Entity Attestation Result (draft-ietf-rats-ear) about an accepted verdict, with the trustworthiness vector of AR4SI
/// (draft-ietf-rats-ar4si). What was not examined is left out.
struct EARClaims {
    /// `eat_profile`.
    static let profile = "tag:ietf.org,2026:rats/ear#03"
    /// The name of the submodule: the app on its device.
    static let submodule = "app"

    /// The tiers of a claim's value (AR4SI section 2.3.2): the lowest value of each.
    private enum Tier {
        static let warning = 32
        static let contraindicated = 96
    }

    /// The last parts of the names of checks that concern the app and its installation. All others concern the device.
    private static let appChecks: Set = [
        "app-package", "app-recognition", "application", "bundle-version", "certificate", "validation-category",
        "version-code",
    ]

    /// The claims of the vector, by name, in a fixed order.
    let vector: [(name: String, value: Int)]

    /// Appraises an accepted verdict.
    init(_ verdict: Verdict) {
        var values: [String: Int] = [:]
        let subject = verdict.engineSubject
        if subject?.identifier != nil { values["instance-identity"] = 2 }
        let facts = subject?.fields ?? []
        // Test authorities prove no hardware.
        let isGenuine = verdict.testAuthority == nil
        switch verdict.kind.name.prefix(while: { $0 != "." }) {
        case "app-attest":
            if isGenuine { values["hardware"] = 2 }
            values["executables"] = 3
        case "android-key":
            if isGenuine, let level = facts.text("attestationSecurityLevel"),
                ["trustedEnvironment", "strongBox"].contains(level)
            {
                values["hardware"] = 2
            }
            if let root = facts.object("rootOfTrust") {
                let isVerified = root.text("verifiedBootState") == "verified" && root.flag("deviceLocked") == true
                values["configuration"] = isVerified ? 2 : Tier.contraindicated
            }
            values["executables"] = 3
        case "play-integrity":
            let labels = facts.texts("deviceRecognitionVerdict")
            if labels.contains("MEETS_STRONG_INTEGRITY") { values["hardware"] = 2 }
            let isSound = labels.contains("MEETS_DEVICE_INTEGRITY") || labels.contains("MEETS_STRONG_INTEGRITY")
            values["configuration"] = isSound ? 2 : Tier.contraindicated
            switch facts.text("appRecognitionVerdict") {
            case "PLAY_RECOGNIZED": values["executables"] = 3
            case "UNRECOGNIZED_VERSION": values["executables"] = 33
            default: break
            }
        case "approov":
            let properties = facts.texts("annotations")
            values["executables"] = properties.contains { ["frida", "xposed"].contains($0) } ? Tier.contraindicated : 3
            if properties.contains(where: { ["rooted", "jailbroken"].contains($0) }) {
                values["configuration"] = Tier.contraindicated
            }
        default: break
        }
        for check in verdict.annotated.map(\.name) {
            func lower(_ claim: String, to value: Int) { values[claim] = max(values[claim] ?? 0, value) }
            if check == "device-check.ban" {
                lower("instance-identity", to: Tier.contraindicated)
            } else if Self.appChecks.contains(check.split(separator: ".").last.map(String.init) ?? "") {
                lower("executables", to: Tier.warning)
            } else {
                lower("configuration", to: Tier.warning)
            }
        }
        vector = ["instance-identity", "configuration", "executables", "hardware"].compactMap { name in
            values[name].map { (name, $0) }
        }
    }

    /// `ear_status`: the tier of the worst claim.
    var status: String {
        let worst = vector.map(\.value).max() ?? 0
        return worst >= Tier.contraindicated
            ? "contraindicated" : worst >= Tier.warning ? "warning" : worst > 0 ? "affirming" : "none"
    }

    /// The members for a token.
    ///
    /// - Parameter nonce: the challenge of the request.
    func members(nonce: String) -> [(String, RecordValue.Content)] {
        let values = vector.map { ($0.name, RecordValue.Content.number("\($0.value)")) }
        let submodule = RecordObject([
            ("ear_status", .text(status)), ("ear_trustworthiness_vector", .object(RecordObject(values))),
        ])
        return [
            ("eat_profile", .text(Self.profile)), ("eat_nonce", .text(nonce)),
            (
                "ear_verifier_id",
                .object(RecordObject([("developer", .text("Assay")), ("build", .text("assay"))]))
            ),
            ("submods", .object(RecordObject([(Self.submodule, .object(submodule))]))),
        ]
    }
}

extension [SubjectField] {
    fileprivate func text(_ name: String) -> String? {
        if case .text(let text)? = first(where: { $0.name == name })?.value { text } else { nil }
    }

    fileprivate func texts(_ name: String) -> [String] {
        if case .texts(let texts)? = first(where: { $0.name == name })?.value { texts } else { [] }
    }

    fileprivate func flag(_ name: String) -> Bool? {
        if case .flag(let flag)? = first(where: { $0.name == name })?.value { flag } else { nil }
    }

    fileprivate func object(_ name: String) -> [SubjectField]? {
        if case .object(let fields)? = first(where: { $0.name == name })?.value { fields } else { nil }
    }
}
