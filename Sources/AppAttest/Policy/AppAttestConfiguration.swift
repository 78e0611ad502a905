package import AssayCore

/// The policy's requirements for the App Attest evidence of one app. A class: all requests share one instance.
@dynamicMemberLookup
package final class AppAttestConfiguration: EngineConfiguration {
    package static let engine = "app-attest"
    package static let policyField = "appAttest"

    package typealias ChallengeSource = AssayCore.ChallengeSource
    package typealias Reattestation = AssayCore.Reattestation
    package typealias AccountBinding = AssayCore.AccountBinding

    /// Where the client data of an assertion carries the challenge.
    package enum ClientDataBinding: Sendable {
        /// The client data is the challenge.
        case raw
        /// The client data is a JSON document with the challenge in a string at this place.
        case challengeAt(JSONPointer)
        /// Nowhere: client data is not compared with a challenge.
        case none
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
        /// The maximum age, in seconds. Apple recommends five minutes.
        package var maximumAge: Double
        /// The greatest allowed risk metric; nil for any.
        package var maximumRiskMetric: Int?
        /// The greatest age of the metric of an assertion's key, in seconds; nil for any.
        package var maximumRiskMetricAge: Double?
        /// How receipts are kept; nil if they are not.
        package var keep: ReceiptKeeping?

        package init(
            maximumAge: Double = 300, maximumRiskMetric: Int? = nil, maximumRiskMetricAge: Double? = nil,
            keep: ReceiptKeeping? = nil
        ) {
            (self.maximumAge, self.maximumRiskMetric) = (maximumAge, maximumRiskMetric)
            (self.maximumRiskMetricAge, self.keep) = (maximumRiskMetricAge, keep)
        }
    }

    package let values: Values

    /// A field: `configuration.appIDs`.
    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    /// Whether builds from Xcode are accepted, whose keys are of the development environment.
    package var admitsDevelopmentBuilds: Bool { values.environments.contains(.development) }

    /// Composes a configuration in code. Fields that affect security have no default; `others` sets the rest. Throws when an App ID has
    /// no prefix, or nothing is allowed.
    package convenience init(
        appIDs: [String], environments: [AttestEnvironment], challenge: ChallengeSource, clientData: ClientDataBinding,
        _ others: (inout Values) -> Void = { _ in }
    ) throws(PolicyError) {
        var values = Values()
        values.appIDs = appIDs
        values.environments = environments
        values.challenge = challenge
        values.clientData = clientData
        others(&values)
        try self.init(values)
    }

    init(_ values: Values) throws(PolicyError) {
        guard !values.appIDs.isEmpty else { throw PolicyError(field: "appIDs", "at least one App ID is needed") }
        for appID in values.appIDs {
            if let objection = Self.objection(toAppID: appID) { throw PolicyError(field: "appIDs", objection) }
        }
        guard !values.environments.isEmpty else {
            throw PolicyError(field: "environments", "at least one environment is needed")
        }
        guard values.validationCategories?.isEmpty != true else {
            throw PolicyError(field: "validationCategories", "at least one category is needed")
        }
        self.values = values
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
