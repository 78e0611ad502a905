package import AssayCore
package import AssayHTTPSignatures
package import AssayPrimitives

/// The policy's requirements for the App Attest evidence of one app. A class: all requests share one instance.
package final class AppAttestConfiguration: EngineConfiguration {
    /// The engine's name.
    package static let engine = "app-attest"
    /// The field of an app in a policy file.
    package static let policyField = "appAttest"

    /// Whether the ledger or the caller ensures that a challenge was issued and is used once.
    package enum ChallengeSource: String, Sendable, CaseIterable {
        /// The ledger issued it and consumes it.
        case ledger
        /// The caller compares it.
        case caller
    }

    /// Where the client data of an assertion carries the challenge.
    package enum ClientDataBinding: Sendable {
        /// The client data is the challenge.
        case raw
        /// The client data is a JSON document with the challenge in a string at this place.
        case challengeAt(JSONPointer)
        /// Nowhere: client data is not compared with a challenge.
        case none
    }

    /// The treatment of a further attestation of an enrolled key.
    package enum Reattestation: String, Sendable, CaseIterable {
        /// Its facts replace the stored ones. An app that lost the answer to its attestation attests again.
        case refresh
        /// It is refused.
        case refuse
    }

    /// How the account of a request and the account of the key are compared.
    package enum AccountBinding: String, Sendable, CaseIterable {
        /// Not at all. Attestations still bind keys to accounts.
        case none
        /// They must be the same if the backend names an account and the key has one.
        case match
        /// The backend must name an account, and it must be that of the key.
        case required
    }

    /// The lowest allowed operating system version, for every platform or by platform.
    package struct MinimumOSVersion: Sendable, Equatable {
        let any: DottedVersion?
        let byPlatform: [ApplePlatform: DottedVersion]

        /// The same minimum for every platform.
        package init(_ version: DottedVersion) {
            any = version
            byPlatform = [:]
        }

        /// A minimum for each allowed platform.
        package init(_ byPlatform: [ApplePlatform: DottedVersion]) {
            any = nil
            self.byPlatform = byPlatform
        }
    }

    /// How the receipts of enrolled keys are kept, to exchange them at Apple's server.
    package enum ReceiptKeeping: String, Sendable, CaseIterable {
        /// As they are.
        case plain
        /// Sealed under the master key of the key store.
        case sealed
    }

    /// The requirements for a refreshed receipt.
    package struct ReceiptRules: Sendable, Equatable {
        /// Ten years, in seconds.
        static let longestAge: Double = 10 * 366 * 86_400

        /// The maximum age, in seconds. Apple recommends five minutes.
        package let maximumAge: Double
        /// The greatest allowed risk metric; nil for any.
        package let maximumRiskMetric: Int?
        /// The greatest age of the metric of an assertion's key, in seconds; nil for any.
        package let maximumRiskMetricAge: Double?
        /// How receipts are kept; nil if they are not.
        package let keep: ReceiptKeeping?

        /// States the rules.
        package init(
            maximumAge: Double = 300, maximumRiskMetric: Int? = nil, maximumRiskMetricAge: Double? = nil,
            keep: ReceiptKeeping? = nil
        ) {
            self.maximumAge = maximumAge
            self.maximumRiskMetric = maximumRiskMetric
            self.maximumRiskMetricAge = maximumRiskMetricAge
            self.keep = keep
        }
    }

    /// The App IDs: App ID prefix, a period, bundle identifier.
    package let appIDs: [String]
    /// The allowed environments.
    package let environments: [AttestEnvironment]
    /// The allowed steps of an assertion's counter.
    package let counter: CounterAdvance.Rule
    /// Whether the ledger or the caller checks challenges.
    package let challenge: ChallengeSource
    /// The treatment of a further attestation of an enrolled key.
    package let reattestation: Reattestation
    /// How accounts are compared.
    package let account: AccountBinding
    /// How many keys one account may have; nil for any number.
    package let maximumKeys: AccountKeyLimit?
    /// Where assertions carry the challenge.
    package let clientData: ClientDataBinding
    /// The lowest operating system version; nil for any.
    package let minimumOSVersion: MinimumOSVersion?
    /// The bundle versions that are allowed.
    package let versions: VersionRules<DottedVersion>
    /// The allowed validation categories; nil for all appropriate ones.
    package let validationCategories: [ValidationCategory]?
    /// The requirements for refreshed receipts.
    package let receipt: ReceiptRules
    /// The requirements for requests that carry assertions; nil if the app sends none.
    package let requests: RequestRules?
    /// Roots of a test authority in place of Apple's; empty for Apple's.
    package let testRoots: [Certificate]

    /// Whether builds from Xcode are accepted, whose keys are of the development environment.
    package var admitsDevelopmentBuilds: Bool { environments.contains(.development) }

    /// Composes a configuration in code. Fields that affect security have no default. Throws when an App ID has no
    /// prefix, or nothing is allowed.
    package init(
        appIDs: [String], environments: [AttestEnvironment], challenge: ChallengeSource,
        clientData: ClientDataBinding, counter: CounterAdvance.Rule = .increasing, reattestation: Reattestation? = nil,
        account: AccountBinding = .match, maximumKeys: AccountKeyLimit? = nil,
        minimumOSVersion: MinimumOSVersion? = nil, versions: VersionRules<DottedVersion> = VersionRules(),
        validationCategories: [ValidationCategory]? = nil, receipt: ReceiptRules = ReceiptRules(),
        requests: RequestRules? = nil, testRoots: [Certificate] = []
    ) throws(PolicyError) {
        guard !appIDs.isEmpty else { throw PolicyError(field: "appIDs", "at least one App ID is needed") }
        for appID in appIDs {
            if let objection = AppAttestConfiguration.objection(toAppID: appID) {
                throw PolicyError(field: "appIDs", objection)
            }
        }
        guard !environments.isEmpty else {
            throw PolicyError(field: "environments", "at least one environment is needed")
        }
        guard validationCategories?.isEmpty != true else {
            throw PolicyError(field: "validationCategories", "at least one category is needed")
        }
        self.appIDs = appIDs
        self.environments = environments
        self.challenge = challenge
        self.clientData = clientData
        self.counter = counter
        // Without a challenge of the ledger, a recorded attestation would pass again.
        self.reattestation = reattestation ?? (challenge == .ledger ? .refresh : .refuse)
        self.account = account
        self.maximumKeys = maximumKeys
        self.minimumOSVersion = minimumOSVersion
        self.versions = versions
        self.validationCategories = validationCategories
        self.receipt = receipt
        self.requests = requests
        self.testRoots = testRoots
    }

    /// Team identifiers, and the older App ID prefixes, have ten characters.
    static func isPrefix(_ text: Substring) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// Why a text is not an App ID; nil if it may be one.
    static func objection(toAppID text: String) -> String? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, isPrefix(parts[0]), !parts[1].isEmpty else {
            return "an App ID is an App ID prefix of 10 capital letters and digits, a period and a bundle identifier, "
                + "found \"\(text.excerpt)\""
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "*") }) else {
            return "an App ID has no white space, wildcard or letters outside of ASCII, found \"\(text.excerpt)\""
        }
        return nil
    }
}
