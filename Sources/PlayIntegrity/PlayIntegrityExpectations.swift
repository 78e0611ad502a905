public import AssayCore
import AssayPrimitives

/// What the evidence of one app is held against: its configuration and the modes of the checks, with everything computed
/// that does not depend on the evidence.
///
/// A class, so that judging many requests at once counts one reference for it and not one for each of its parts.
public final class PlayIntegrityExpectations: EngineExpectations {
    /// The name of the policy's app.
    public let app: String
    /// What the policy demands.
    public let configuration: PlayIntegrityConfiguration
    let modes: CheckModes
    /// The certificate digests as tokens carry them.
    let certificateDigestTexts: [String]
    /// Which keys are the app's.
    let keyClaim: KeyClaim
    /// What a device must meet whose version of Android is not told.
    let strictestDeviceLabel: DeviceIntegrityLabel?

    /// Prepares the expectations for an app.
    ///
    /// - Parameters:
    ///   - app: the name of the policy's app.
    ///   - configuration: what the policy demands of it.
    ///   - modes: the modes of the policy checks; a check without one is enforced.
    public init(app: String, configuration: PlayIntegrityConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        keyClaim = KeyClaim(app: app, names: configuration.keys, scopes: [configuration.packageName, app])
        certificateDigestTexts = configuration.android?.certificateDigests.map { Base64.encode($0, .url) } ?? []
        strictestDeviceLabel = configuration.android?.deviceRecognition.map(\.require)
            .max { $0.isWeaker(than: $1) }
    }

    /// Whether the policy only notes a failure of a check.
    func isOnlyNoted(_ check: CheckID) -> Bool { modes[check] == .annotate }
}
