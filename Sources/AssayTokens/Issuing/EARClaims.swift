import AssayCore

/// The claims of an Entity Attestation Result (draft-ietf-rats-ear-04) about an accepted verdict, with the trustworthiness vector of AR4SI
/// (draft-ietf-rats-ar4si). What was not examined is left out.
struct EARClaims {
    /// `eat_profile`.
    static let profile = "tag:ietf.org,2026:rats/ear#04"
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
            } else if check.hasPrefix("builds.")
                || Self.appChecks.contains(check.split(separator: ".").last.map(String.init) ?? "")
            {
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

    /// The ID of a policy, an entry of `ear_appraisal_policy_ids`: the issuer with the digest of its policy file.
    ///
    /// - Parameter digest: SHA-256 of the file in hexadecimal digits, as metrics, logs and the audit trail have it.
    static func policyID(issuer: String, digest: String) -> String { "\(issuer)#policy-sha256-\(digest)" }

    /// The members for a token.
    ///
    /// - Parameters:
    ///   - nonce: the challenge of the request.
    ///   - policyID: see ``policyID(issuer:digest:)``; nil for a policy that was not read from a file.
    func members(nonce: String, policyID: String?) -> [(String, RecordValue.Content)] {
        let values = vector.map { ($0.name, RecordValue.Content.number("\($0.value)")) }
        var submodule: [(String, RecordValue.Content)] = [
            ("ear_status", .text(status)), ("ear_trustworthiness_vector", .object(RecordObject(values))),
        ]
        if let policyID {
            submodule.append(("ear_appraisal_policy_ids", .array([RecordValue(.text(policyID), offset: 0)])))
        }
        let verifier: [(String, RecordValue.Content)] = [
            ("developer", .text("Assay")), ("build", .text("assay/\(AssayRelease.version)")),
        ]
        return [
            ("eat_profile", .text(Self.profile)), ("eat_nonce", .text(nonce)),
            ("ear_verifier_id", .object(RecordObject(verifier))), ("ear_status", .text(status)),
            ("submods", .object(RecordObject([(Self.submodule, .object(RecordObject(submodule)))]))),
        ]
    }
}
