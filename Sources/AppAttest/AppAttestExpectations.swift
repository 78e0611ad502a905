public import AssayCore
import AssayPrimitives

/// What the evidence of one app is held against: its configuration, the modes of the checks, and the trust anchors,
/// with everything computed that does not depend on the evidence.
///
/// A class, so that judging many requests at once counts one reference for it and not one for each of its parts.
public final class AppAttestExpectations: EngineExpectations {
    /// The name of the policy's app.
    public let app: String
    /// What the policy demands.
    public let configuration: AppAttestConfiguration
    let modes: CheckModes
    let trust: AppAttestTrust
    private let appIDByHash: [(hash: [UInt8], appID: String)]

    /// Prepares the expectations for an app.
    ///
    /// - Parameters:
    ///   - app: the name of the policy's app.
    ///   - configuration: what the policy demands of it.
    ///   - modes: the modes of the policy checks; a check without one is enforced.
    public init(app: String, configuration: AppAttestConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        trust = configuration.testRoots.isEmpty ? .apple : AppAttestTrust(testRoots: configuration.testRoots)
        appIDByHash = configuration.appIDs.map { (Digest.sha256(Array($0.utf8)), $0) }
    }

    /// The App ID of the policy whose hash some authenticator data carries, and nil for none.
    func appID(rpIDHash: ArraySlice<UInt8>) -> String? {
        appIDByHash.first { rpIDHash.isByteEqual(to: $0.hash) }?.appID
    }
}
