import AssayCore

/// A policy's rules for measurement proofs.
package struct ProofRules: Sendable, Equatable {
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
        case caller
    }

    /// The longest ``life``: ten years.
    private static let longestLife: Double = 3650 * 86_400

    package var tokens: TokenRule
    package var nonce: NonceRule
    /// The names of the keys that open measurement tokens; nil for all keys with the app as their scope.
    package var keys: [String]?
    /// The public key of the hardware, for which measurements are sealed: base64 of its SubjectPublicKeyInfo. Nil if each request
    /// names one.
    package var hardware: String?
    /// How long the hardware may accept sealed measurements, in seconds; nil for no limit.
    package var life: Double?

    package init(tokens: TokenRule = .encrypted, nonce: NonceRule = .caller, keys: [String]? = nil) {
        (self.tokens, self.nonce, self.keys) = (tokens, nonce, keys)
    }
}

extension ProofRules {
    /// The fields of `proof` in a policy.
    static let table: [SectionField<ProofRules>] = [
        .field("tokens", \.tokens, .word, "Which tokens may carry measurements."),
        .field("nonce", \.nonce, .word, "Who sees to it that a nonce is used once."),
        .field("keys", \.keys, .texts, "The name of a key that opens measurement tokens."),
        .field(
            "hardware", \.hardware, .text, "The public key of the hardware for which measurement tokens are sealed."),
        .field("life", \.life, .duration, "How long a measurement token counts, such as 90d."),
    ]

    func validate() throws(PolicyError) {
        if let keys { try ApproovConfiguration.Settings.requireList(keys, "proof.keys") }
        if let hardware {
            do throws(KeyError) { _ = try MeasurementToken.PublicKey(text: hardware) } catch {
                throw PolicyError(field: "proof.hardware", error.message)
            }
        }
        if let life, !(1...Self.longestLife).contains(life) {
            throw PolicyError(field: "proof.life", "expected 1s to 3650d")
        }
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
}
