package import AssayCore

/// The requirements of one app. Precomputes all values that do not depend on the evidence. A class: concurrent
/// judgements then count one reference instead of one for each part.
package final class PlayIntegrityExpectations: EngineExpectations {
    package let app: String
    package let configuration: PlayIntegrityConfiguration
    let modes: CheckModes
    /// The certificate digests in the form of tokens.
    let certificateDigestTexts: [String]
    let keyClaim: KeyClaim
    /// The strongest label of all device rules.
    let strictestDeviceLabel: IntegrityLabel?

    /// Prepares the expectations for an app. A policy check without a mode in `modes` is enforced.
    package init(app: String, configuration: PlayIntegrityConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        keyClaim = KeyClaim(app: app, names: configuration.keys, scopes: [configuration.packageName, app])
        certificateDigestTexts = configuration.android?.certificateDigests.map { Base64.encode($0, .url) } ?? []
        strictestDeviceLabel = configuration.android?.deviceRecognition.map(\.require)
            .max { $0.isWeaker(than: $1) }
    }

    /// True if the policy annotates a failure of the check instead of rejecting the evidence.
    func isOnlyNoted(_ check: CheckID) -> Bool { modes[check] == .annotate }
}
