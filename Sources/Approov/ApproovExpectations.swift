package import AssayCore

/// The requirements of one API, with everything computed that does not depend on the evidence.
///
/// A class: concurrent judgements count one reference instead of one for each part.
package final class ApproovExpectations: EngineExpectations {
    /// The name of the policy's app.
    package let app: String
    /// The app's section of the policy.
    package let configuration: ApproovConfiguration
    let modes: CheckModes
    /// The selection of the app's keys.
    let keyClaim: KeyClaim
    /// The app's live keys, prepared for tokens.
    let tokenKeys = TokenKeysMemo()
    /// The selection of the app's message signing keys of accounts.
    let messageKeyClaim: KeyClaim
    /// The checks of a token of the form that the policy names, in their order.
    let tokenChecks: [CheckID]

    /// Prepares the expectations for an app.
    ///
    /// - Parameters:
    ///   - app: the name of the policy's app.
    ///   - configuration: its section of the policy.
    ///   - modes: the modes of the policy checks; a check without one is enforced.
    package init(app: String, configuration: ApproovConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        keyClaim = KeyClaim(app: app, names: configuration.keys, scopes: [app])
        messageKeyClaim = KeyClaim(app: app, names: configuration.messageSigning?.keys, scopes: [app])
        tokenChecks =
            configuration.format == .jwe ? ApproovCheck.encryptedTokenChecks : ApproovCheck.signedTokenChecks
    }
}
