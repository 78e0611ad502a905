package import AssayCore

/// The requirements of one app, with all values precomputed that do not depend on the evidence. A class: concurrent judgements then
/// count one reference instead of one for each part.
package final class AndroidKeyExpectations: EngineExpectations {
    package let app: String
    package let configuration: AndroidKeyConfiguration
    let modes: CheckModes
    let trust: AndroidKeyTrust

    /// Prepares the expectations for an app. A check without a mode is enforced.
    package init(app: String, configuration: AndroidKeyConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        trust = configuration.testRoots.isEmpty ? .google : AndroidKeyTrust(testRoots: configuration.testRoots)
    }

    /// Whether an earlier chain has verified issuers of this one, for tests.
    package func knowsIssuers(of input: KeyAttestationInput) -> Bool {
        trust.issuers(input.certificates.dropFirst()) != nil
    }
}
