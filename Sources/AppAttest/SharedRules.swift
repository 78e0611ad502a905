public import AssayCore

/// The checks that attestations, assertions and receipts share: one entry and one rule, with a check name for each
/// kind.
enum SharedRules {
    static func environment(
        _ environment: AttestEnvironment, in configuration: AppAttestConfiguration
    ) throws(CheckFailure) {
        let allowed = configuration.environments
        guard allowed.contains(environment) else {
            throw CheckFailure(
                .environmentNotAllowed,
                "environment \(environment.rawValue), allowed is "
                    + allowed.map(\.rawValue).joined(separator: ", "))
        }
    }

    /// The failure of an App ID that the policy does not list. `certified` is the App ID that the certificate states.
    static func appIDNotAllowed(_ allowed: [String], certified: String? = nil) -> CheckFailure {
        CheckFailure(
            .appIDNotAllowed,
            "the App ID is none of \(allowed.joined(separator: ", "))"
                + (certified.map { "; the certificate names \($0)" } ?? ""))
    }

    /// Whether authenticator data must carry the extensions of iOS 27 and macOS 27.
    enum ExtensionSupport {
        /// The system has them.
        case present
        /// The system is too old to have them, or unknown; the text states the reason.
        case absent(String)
        /// The certificate does not contain the version of the system.
        case unknown

        /// The support of an operating system version: iOS and macOS have the extensions since version 27.
        init(osVersion: String?) {
            switch osVersion.flatMap({ DottedVersion($0) }) {
            case let version? where version.major >= 27: self = .present
            case let version?: self = .absent("OS version \(version) is older than the extensions, which came with 27")
            case nil: self = .unknown
            }
        }
    }

    /// The policy allows how the app was installed. The values 0 and 7 to 9 are never appropriate under any policy
    /// (Apple, authenticator data extensions).
    static func validationCategory(
        _ extensions: AuthenticatorExtensions?, support: ExtensionSupport, in configuration: AppAttestConfiguration
    ) throws(CheckFailure) -> PolicyAnswer {
        let allowed = configuration.validationCategories
        switch extensions?.validationCategory ?? .absent {
        case .malformed(let sentence):
            throw CheckFailure(.validationCategoryMalformed, sentence)
        case .absent:
            return try missing(allowed == nil, support, .validationCategoryMissing, "a validation category")
        case .value(let value):
            guard let category = ValidationCategory(value: value) else {
                throw CheckFailure(
                    .validationCategoryInappropriate, "validation category \(value) is never appropriate")
            }
            guard allowed?.contains(category) ?? true else {
                throw CheckFailure(
                    .validationCategoryNotAllowed,
                    "validation category \(value) (\(category.rawValue)), allowed is "
                        + (allowed ?? []).map(\.rawValue).joined(separator: ", "))
            }
            return .passed
        }
    }

    /// The app's build is at least the policy's minimum.
    static func bundleVersion(
        _ extensions: AuthenticatorExtensions?, support: ExtensionSupport, in configuration: AppAttestConfiguration
    ) throws(CheckFailure) -> PolicyAnswer {
        let rules = configuration.versions
        switch extensions?.bundleVersion ?? .absent {
        case .malformed(let sentence):
            throw CheckFailure(.bundleVersionMalformed, sentence)
        case .absent:
            return try missing(rules.isEmpty, support, .bundleVersionMissing, "a bundle version")
        case .value(let text):
            if rules.isEmpty { return .notRequired }
            guard let version = DottedVersion(text) else {
                throw CheckFailure(
                    .bundleVersionMalformed,
                    "bundle version \"\(text.excerpt)\" cannot be compared with those of the policy")
            }
            if let refusal = rules.refusal(of: version) {
                throw rules.failure(refusal, of: version, "bundle version", .bundle)
            }
            return .passed
        }
    }

    private static func missing(
        _ isNotRequired: Bool, _ support: ExtensionSupport, _ code: CheckCode, _ what: String
    ) throws(CheckFailure) -> PolicyAnswer {
        if isNotRequired { return .notRequired }
        switch support {
        case .absent(let sentence): return .notApplicable(Finding(.beforeExtensions, sentence))
        case .present:
            throw CheckFailure(code, "the policy demands \(what), the authenticator data has none")
        case .unknown:
            throw CheckFailure(
                code, "the policy demands \(what), the authenticator data has none, and the OS version is not known")
        }
    }
}

extension CheckDefinition {
    private static let extensions = "Apple, Validating apps that connect to your server, authenticator data extensions"

    /// How the app was installed; see ``SharedRules/validationCategory(_:support:in:)``.
    static func validationCategory(_ id: CheckID) -> CheckDefinition {
        CheckDefinition(
            id, .policy(default: .enforce),
            proves: "The app was installed in a way that the policy allows, and never in one that is inappropriate.",
            stops: "Re-signed and sideloaded copies of the app.",
            lookAt: "validationCategories in the policy. Systems before iOS 27 and macOS 27 do not state the category.",
            source: extensions, remedy: .updateApp,
            codes: [
                .validationCategoryMalformed, .validationCategoryMissing, .validationCategoryInappropriate,
                .validationCategoryNotAllowed, .beforeExtensions,
            ])
    }

    /// The app's build; see ``SharedRules/bundleVersion(_:support:in:)``.
    static func bundleVersion(_ id: CheckID) -> CheckDefinition {
        CheckDefinition(
            id, .policy(default: .enforce),
            proves: "The app's build is one that the policy allows.",
            stops: "Builds with known vulnerabilities, and builds that were withdrawn.",
            lookAt:
                "minimumBundleVersion and versions in the policy. Systems before iOS 27 and macOS 27 do not state the build.",
            source: extensions, remedy: .updateApp,
            codes: [.bundleVersionMalformed, .bundleVersionMissing, .beforeExtensions] + VersionCodes.bundle.all)
    }

    /// The single use of a challenge, decided by the ledger.
    static func challenge(_ id: CheckID, stops: String, source: String, codes: [CheckCode]) -> CheckDefinition {
        CheckDefinition(
            id, .ledger,
            proves:
                "The challenge was issued for this app and purpose, has not expired, and is used for the first time.",
            stops: stops,
            lookAt: "`challenge` in the policy, the challenge's lifetime, and whether the request was retried.",
            source: source, remedy: .newChallenge, codes: codes + CheckCode.ofChallenge)
    }
}

extension VersionCodes {
    fileprivate static let bundle = VersionCodes(
        tooLow: .appAttestBundleVersionTooLow, tooHigh: .bundleVersionTooHigh, withdrawn: .bundleVersionWithdrawn)
}

extension CheckCode {
    static let environmentUnknown = CheckCode(
        "environment-unknown",
        "The evidence names an environment that App Attest does not have: no genuine device does.", remedy: .nothing)
    static let environmentNotAllowed = CheckCode(
        "environment-not-allowed", "The key is of an environment that `environments` in the policy does not list.",
        remedy: .updateApp)
    static let appIDNotAllowed = CheckCode(
        "app-id-not-allowed", "The evidence is for an App ID that `appIDs` in the policy does not list: another app.")
    static let appIDDiffers = CheckCode(
        "app-id-differs", "The evidence is for another App ID than the one for which the key was enrolled.")
    static let keyIDDiffers = CheckCode(
        "key-id-differs",
        "The key identifier is not SHA-256 of the key: compare keyId with the evidence and its encoding.")
    static let keyDiffers = CheckCode(
        "key-differs", "The evidence carries another key than the one that is enrolled under the key identifier.",
        remedy: .nothing)
    fileprivate static let validationCategoryMalformed = CheckCode(
        "validation-category-malformed", "The validation category has another type than Apple documents.",
        remedy: .nothing
    )
    fileprivate static let validationCategoryMissing = CheckCode(
        "validation-category-missing",
        "The policy demands a validation category, and the authenticator data of a system that must state it has none.",
        remedy: .nothing)
    fileprivate static let validationCategoryInappropriate = CheckCode(
        "validation-category-inappropriate",
        "The app was installed in a way that Apple calls never appropriate, whatever the policy allows.")
    fileprivate static let validationCategoryNotAllowed = CheckCode(
        "validation-category-not-allowed", "The app was installed in a way that validationCategories does not list.")
    fileprivate static let bundleVersionMalformed = CheckCode(
        "bundle-version-malformed", "The bundle version is no text, or no dotted number that can be compared.",
        remedy: .nothing)
    fileprivate static let bundleVersionMissing = CheckCode(
        "bundle-version-missing",
        "The policy demands a bundle version, and the authenticator data of a system that must state it has none.",
        remedy: .nothing)
    /// The build of the app is older than `minimumBundleVersion`.
    public static let appAttestBundleVersionTooLow = CheckCode(
        "bundle-version-too-low", "The app's build is older than minimumBundleVersion: the user updates the app.")
    fileprivate static let bundleVersionTooHigh = CheckCode(
        "bundle-version-too-high", "The app's build is newer than `versions.maximum` in the policy allows.")
    fileprivate static let bundleVersionWithdrawn = CheckCode(
        "bundle-version-withdrawn",
        "The app's build is one of `versions.withdrawn` in the policy: the user updates the app.")
    fileprivate static let beforeExtensions = CheckCode(
        "before-extensions", "The key is of a system before iOS 27 or macOS 27, which does not state this: no action.")
}
