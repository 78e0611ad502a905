/// The properties of an enrolled key for the checks of assertions, collected in one pass over the dictionary.
struct EnrolledFacts: Sendable {
    /// The App ID for which the key was attested.
    private(set) var appID: String?
    /// The name of the environment in which it was attested.
    private(set) var environmentName: String?
    /// The environment with that name; nil for an unknown name.
    private(set) var environment: AttestEnvironment?
    /// The test authority that certified it; nil for Apple's.
    private(set) var testAuthority: String?
    /// Whether its attestation carried one of the extensions that came with iOS 27 and macOS 27.
    private(set) var hasExtensions = false

    /// Finds the facts.
    init(_ properties: [String: String]) {
        for (name, value) in properties {
            switch name {
            case EnrolledProperty.appID: appID = value
            case EnrolledProperty.environment:
                environmentName = value
                environment = AttestEnvironment(rawValue: value)
            case EnrolledProperty.testAuthority: testAuthority = value
            case EnrolledProperty.validationCategory, EnrolledProperty.bundleVersion: hasExtensions = true
            default: break
            }
        }
    }
}
