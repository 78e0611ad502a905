package import AssayCore

/// The requirements of one app. Precomputes all values that do not depend on the evidence. A class: concurrent
/// judgements then count one reference instead of one for each part.
package final class AppAttestExpectations: EngineExpectations {
    package let app: String
    package let configuration: AppAttestConfiguration
    let modes: CheckModes
    let trust: AppAttestTrust
    private let appIDByHash: [(hash: [UInt8], appID: String)]

    /// Prepares the expectations for an app. A check without a mode is enforced.
    package init(app: String, configuration: AppAttestConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        trust = configuration.testRoots.isEmpty ? .apple : AppAttestTrust(testRoots: configuration.testRoots)
        appIDByHash = configuration.appIDs.map { (Digest.sha256(Array($0.utf8)), $0) }
    }

    /// The policy's App ID with this hash; nil if there is none.
    func appID(rpIDHash: ArraySlice<UInt8>) -> String? {
        appIDByHash.first { rpIDHash.isByteEqual(to: $0.hash) }?.appID
    }
}
