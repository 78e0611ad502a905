import AssayCore

/// The properties of an enrolled key for the checks of assertions, collected in one pass over the dictionary.
struct EnrolledFacts: Sendable {
    /// The App ID that the key was attested for.
    private(set) var appID: String?
    /// The name of the environment in which it was attested.
    private(set) var environmentName: String?
    /// The environment with that name; nil for an unknown name.
    private(set) var environment: AttestEnvironment?
    /// The test authority that certified it; nil for Apple's.
    private(set) var testAuthority: String?
    /// Whether its attestation carried one of the extensions of iOS 27 and macOS 27.
    private(set) var hasExtensions = false
    /// The risk metric of its last refreshed receipt; nil for none.
    private(set) var riskMetric: AppAttestRiskMetric?

    /// Finds the facts.
    init(_ properties: [String: String]) {
        var (metric, metricTime): (String?, String?)
        for (name, value) in properties {
            switch name {
            case EnrolledProperty.appID: appID = value
            case EnrolledProperty.environment:
                environmentName = value
                environment = AttestEnvironment(rawValue: value)
            case EnrolledProperty.testAuthority: testAuthority = value
            case EnrolledProperty.riskMetric: metric = value
            case EnrolledProperty.riskMetricTime: metricTime = value
            case EnrolledProperty.validationCategory, EnrolledProperty.bundleVersion: hasExtensions = true
            default: break
            }
        }
        if let value = metric.flatMap({ Int($0) }), let time = metricTime.flatMap({ RFC3339.parse($0) }) {
            riskMetric = AppAttestRiskMetric(value: value, measuredAt: time)
        }
    }
}
