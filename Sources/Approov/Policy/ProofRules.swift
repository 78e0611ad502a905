import AssayCore

/// A policy's rules for measurement proofs.
package struct ProofRules: Sendable, Equatable {
    /// Which tokens may carry measurements.
    package enum TokenRule: String, Sendable, CaseIterable {
        /// Tokens of the form that the policy names.
        case any
        /// Encrypted ones only: an intermediary must not be able to read the proof key (Approov, Offline Security
        /// Mode: "Encrypted JWEs must be used on endpoints to which measurements are transmitted").
        case encrypted
    }

    /// The party that ensures that a nonce was issued and is used once.
    package enum NonceRule: String, Sendable, CaseIterable {
        /// The ledger issues and consumes it.
        case ledger
        /// The caller.
        case caller
    }

    /// Which tokens may carry measurements.
    package let tokens: TokenRule
    /// The party that checks nonces.
    package let nonce: NonceRule
    /// The names of the keys that open measurement tokens; nil for all keys with the app as their scope.
    package let keys: [String]?

    /// Creates the rules.
    package init(tokens: TokenRule = .encrypted, nonce: NonceRule = .caller, keys: [String]? = nil) {
        self.tokens = tokens
        self.nonce = nonce
        self.keys = keys
    }
}

extension ProofRules {
    /// The fields of `proof` in a policy.
    static let fields = [
        PolicyField("proof", .mapping, "What is demanded of measurement proofs."),
        PolicyField("proof.tokens", .words(TokenRule.self), "Which tokens may carry measurements."),
        PolicyField("proof.nonce", .words(NonceRule.self), "Who sees to it that a nonce is used once."),
        PolicyField("proof.keys", .list(.text), "The name of a key that opens measurement tokens."),
    ]

    /// Reads the field `proof`.
    init(reading node: PolicyNode) throws(PolicyError) {
        let fields = try node.members(of: ApproovConfiguration.fields, in: "proof")
        self.init(
            tokens: try fields["tokens"]?.word(TokenRule.self) ?? .encrypted,
            nonce: try fields["nonce"]?.word(NonceRule.self) ?? .caller, keys: try fields["keys"]?.uniqueTexts())
    }

    func validate() throws(PolicyError) {
        if let keys { try ApproovConfiguration.Settings.demandList(keys, "proof.keys") }
    }

    /// The settings that no evidence can meet, and those that show the proof key.
    func remarks(_ format: ApproovConfiguration.TokenFormat) -> [PolicyRemark] {
        guard format == .jws else { return [] }
        return [
            PolicyRemark(
                "proof.tokens",
                tokens == .encrypted
                    ? "encrypted, which is the default: the tokens of the API are signed, format: jws, so that a proof with such a "
                        + "token is rejected; set the API up for encrypted tokens, format: jwe"
                    : "any: the tokens of the API are signed, format: jws, so that every reader of a token has the key of proofs; set "
                        + "the API up for encrypted tokens, format: jwe")
        ]
    }

    /// The settings in force.
    var settings: [PolicySetting] {
        [
            PolicySetting("proof.tokens", tokens.rawValue), PolicySetting("proof.nonce", nonce.rawValue),
            PolicySetting("proof.keys", keys ?? []),
        ]
    }
}
