import AssayCore

/// The claims of an Entity Attestation Result (draft-ietf-rats-ear) about an accepted verdict, with the trustworthiness vector of AR4SI
/// (draft-ietf-rats-ar4si). What was not examined is left out.
struct EARClaims {
    /// `eat_profile`.
    static let profile = "tag:ietf.org,2026:rats/ear#03"
    /// The name of the submodule: the app on its device.
    static let submodule = "app"

    private typealias Value = Trustworthiness.Value

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
        let claims = subject?.trustworthiness ?? Trustworthiness()
        values["configuration"] = claims.configuration
        values["executables"] = claims.executables
        // Test authorities prove no hardware.
        if verdict.testAuthority == nil { values["hardware"] = claims.hardware }
        for check in verdict.annotated.map(\.name) {
            func lower(_ claim: String, to value: Int) { values[claim] = max(values[claim] ?? 0, value) }
            if check == "device-check.ban" {
                lower("instance-identity", to: Value.contraindicated)
            } else if Self.appChecks.contains(check.split(separator: ".").last.map(String.init) ?? "") {
                lower("executables", to: Value.warning)
            } else {
                lower("configuration", to: Value.warning)
            }
        }
        vector = ["instance-identity", "configuration", "executables", "hardware"].compactMap { name in
            values[name].map { (name, $0) }
        }
    }

    /// `ear_status`: the tier of the worst claim.
    var status: String {
        let worst = vector.map(\.value).max() ?? 0
        return worst >= Value.contraindicated
            ? "contraindicated" : worst >= Value.warning ? "warning" : worst > 0 ? "affirming" : "none"
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
