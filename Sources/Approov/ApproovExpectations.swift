package import AssayCore

/// The requirements of one API. Precomputes all values that do not depend on the evidence. A class: concurrent
/// judgements then count one reference instead of one for each part.
package final class ApproovExpectations: EngineExpectations {
    package let app: String
    package let configuration: ApproovConfiguration
    let modes: CheckModes
    let addresses: AddressRule
    let keyClaim: KeyClaim
    /// The app's live keys, prepared for token verification.
    let tokenKeys = TokenKeysMemo()
    /// Selects the app's message signing keys of accounts, for requests.
    let messageKeyClaim: KeyClaim
    /// Selects the app's message signing keys of accounts, for texts.
    let textKeyClaim: KeyClaim
    /// Selects the app's keys of offline hardware.
    let hardwareKeyClaim: KeyClaim
    /// The checks for the policy's token form, in order.
    let tokenChecks: [CheckID]

    /// Prepares the expectations for an app. A policy check without a mode in `modes` is enforced.
    package convenience init(app: String, configuration: ApproovConfiguration, modes: [CheckID: CheckMode]) {
        self.init(app: app, configuration: configuration, modes: modes, addresses: .keep)
    }

    /// Prepares the expectations for an app of a policy.
    package convenience init(app: PolicyApp, configuration: ApproovConfiguration, policy: VerificationPolicy) {
        self.init(
            app: app.name, configuration: configuration, modes: policy.modes(of: app), addresses: policy.addresses)
    }

    private init(
        app: String, configuration: ApproovConfiguration, modes: [CheckID: CheckMode], addresses: AddressRule
    ) {
        self.app = app
        self.configuration = configuration
        // A policy has modes for the checks of all engines, and each look-up passes over those of this list.
        self.modes = CheckModes(modes.filter { $0.key.name.utf8.starts(with: "approov.".utf8) })
        self.addresses = addresses
        keyClaim = KeyClaim(app: app, names: configuration.keys, scopes: [app])
        messageKeyClaim = KeyClaim(app: app, names: configuration.messageSigning?.keys, scopes: [app])
        textKeyClaim = KeyClaim(app: app, names: configuration.textSigning?.keys, scopes: [app])
        hardwareKeyClaim = KeyClaim(app: app, names: configuration.proof.keys, scopes: [app])
        tokenChecks =
            configuration.format == .jwe ? ApproovCheck.encryptedTokenChecks : ApproovCheck.signedTokenChecks
    }
}
