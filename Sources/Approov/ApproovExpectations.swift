public import AssayCore

/// What the evidence of one API is held against: its configuration and the modes of the checks, with everything computed
/// that does not depend on the evidence.
///
/// A class, so that judging many requests at once counts one reference for it and not one for each of its parts.
public final class ApproovExpectations: EngineExpectations {
    /// The name of the policy's app.
    public let app: String
    /// What the policy demands.
    public let configuration: ApproovConfiguration
    let modes: CheckModes
    /// Which keys are the app's.
    let keyClaim: KeyClaim
    /// Those of its keys that may be used, prepared for tokens.
    let tokenKeys = TokenKeysMemo()
    /// Which message signing keys of accounts are the app's.
    let messageKeyClaim: KeyClaim
    /// The checks of a token of the form that the policy names, in their order.
    let tokenChecks: [CheckID]

    /// Prepares the expectations for an app.
    ///
    /// - Parameters:
    ///   - app: the name of the policy's app.
    ///   - configuration: what the policy demands of it.
    ///   - modes: the modes of the policy checks; a check without one is enforced.
    public init(app: String, configuration: ApproovConfiguration, modes: [CheckID: CheckMode]) {
        self.app = app
        self.configuration = configuration
        self.modes = CheckModes(modes)
        keyClaim = KeyClaim(app: app, names: configuration.keys, scopes: [app])
        messageKeyClaim = KeyClaim(app: app, names: configuration.messageSigning?.keys, scopes: [app])
        tokenChecks =
            configuration.format == .jwe ? ApproovCheck.encryptedTokenChecks : ApproovCheck.signedTokenChecks
    }
}
