import AssayCore

/// Rules that attestations, assertions and receipts have in common.
enum SharedChecks {
    /// The environment is one that the policy allows.
    static func environment(
        _ environment: AttestEnvironment, in configuration: AppAttestConfiguration
    ) throws(CheckFailure) {
        let allowed = configuration.environments
        guard allowed.contains(environment) else {
            throw CheckFailure(
                "environment-not-allowed",
                "environment \(environment.rawValue), allowed is "
                    + allowed.map(\.rawValue).joined(separator: ", "))
        }
    }

    /// The failure of an App ID that is none of the policy's.
    static func appIDNotAllowed(_ allowed: [String]) -> CheckFailure {
        CheckFailure("app-id-not-allowed", "the App ID is none of \(allowed.joined(separator: ", "))")
    }

    /// Whether authenticator data must carry the extensions that came with iOS 27 and macOS 27.
    enum ExtensionSupport {
        /// The system has them.
        case present
        /// The system is too old to have them, or nothing is known of it; in words.
        case absent(String)
        /// What the system is cannot be told.
        case unknown

        /// What an operating system of this version does. Both iOS and macOS have the extensions since 27.
        init(osVersion: String?) {
            switch osVersion.flatMap({ DottedVersion($0) }) {
            case let version? where version.major >= 27: self = .present
            case let version?: self = .absent("OS version \(version) is older than the extensions, which came with 27")
            case nil: self = .unknown
            }
        }
    }

    /// The app was installed in a way that the policy allows.
    ///
    /// The values 0 and 7 to 9 are never appropriate, whatever the policy says (Apple, authenticator data extensions).
    static func validationCategory(
        _ extensions: AuthenticatorExtensions?, support: ExtensionSupport, in configuration: AppAttestConfiguration
    ) throws(CheckFailure) -> PolicyAnswer {
        let allowed = configuration.validationCategories
        switch extensions?.validationCategory ?? .absent {
        case .malformed(let sentence):
            throw CheckFailure("validation-category-malformed", sentence)
        case .absent:
            return try missing(allowed == nil, support, "validation-category-missing", "a validation category")
        case .value(let value):
            guard let category = ValidationCategory(value: value) else {
                throw CheckFailure(
                    "validation-category-inappropriate", "validation category \(value) is never appropriate")
            }
            guard allowed?.contains(category) ?? true else {
                throw CheckFailure(
                    "validation-category-not-allowed",
                    "validation category \(value) (\(category.rawValue)), allowed is "
                        + (allowed ?? []).map(\.rawValue).joined(separator: ", "))
            }
            return .holds
        }
    }

    /// The app's build is at least the policy's minimum.
    static func bundleVersion(
        _ extensions: AuthenticatorExtensions?, support: ExtensionSupport, in configuration: AppAttestConfiguration
    ) throws(CheckFailure) -> PolicyAnswer {
        let minimum = configuration.minimumBundleVersion
        switch extensions?.bundleVersion ?? .absent {
        case .malformed(let sentence):
            throw CheckFailure("bundle-version-malformed", sentence)
        case .absent:
            return try missing(minimum == nil, support, "bundle-version-missing", "a bundle version")
        case .value(let text):
            guard let minimum else { return .notAsked }
            guard let version = DottedVersion(text) else {
                throw CheckFailure(
                    "bundle-version-malformed",
                    "bundle version \"\(text.excerpt)\" cannot be compared with \(minimum)")
            }
            guard version >= minimum else {
                throw CheckFailure(
                    "bundle-version-too-low", "bundle version \(version), at least \(minimum) is demanded")
            }
            return .holds
        }
    }

    private static func missing(
        _ isNotAsked: Bool, _ support: ExtensionSupport, _ code: String, _ what: String
    ) throws(CheckFailure) -> PolicyAnswer {
        if isNotAsked { return .notAsked }
        switch support {
        case .absent(let sentence): return .notApplicable(Finding("before-extensions", sentence))
        case .present:
            throw CheckFailure(code, "the policy demands \(what), the authenticator data has none")
        case .unknown:
            throw CheckFailure(
                code, "the policy demands \(what), the authenticator data has none, and the OS version is not known")
        }
    }
}
