public import AssayCore

// The ledger entries of App Attest.

extension KeyIdentifier {
    /// The identifier under which the ledger enrols and blocks an App Attest key, from the 32 bytes of the key ID.
    public static func appAttest(_ keyID: [UInt8]) -> KeyIdentifier {
        KeyIdentifier(engine: AppAttestConfiguration.engine, value: keyID)
    }
}

/// The names of an enrolled key's properties.
package enum EnrolledProperty {
    static let appID = "appId"
    package static let environment = "environment"
    static let osVersion = "osVersion"
    static let validationCategory = "validationCategory"
    static let bundleVersion = "bundleVersion"
    static let testAuthority = "testAuthority"
    /// The risk metric of the last refreshed receipt, in decimal digits.
    package static let riskMetric = "riskMetric"
    /// When that receipt was issued, RFC 3339.
    package static let riskMetricTime = "riskMetricTime"
    /// The properties that a further attestation of a key must not change.
    static let identity = [appID, environment, testAuthority]
}
