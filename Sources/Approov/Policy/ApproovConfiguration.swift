package import AssayCore

/// The policy for the Approov evidence of one API. A class: all requests share it.
@dynamicMemberLookup
package final class ApproovConfiguration: EngineConfiguration {
    package static let engine = "approov"
    package static let policyField = "approov"

    /// The form of the API's tokens. Approov sets it for each domain.
    package enum TokenFormat: String, Sendable, CaseIterable {
        /// Signed.
        case jws
        /// Encrypted.
        case jwe
    }

    /// The treatment of failover tokens, which have little more than `exp` and no binding.
    package enum FailoverRule: String, Sendable, CaseIterable {
        /// Reject them.
        case reject
        /// Accept them. If the API has bindings, the verdict notes it.
        case accept
    }

    /// The treatment of a request without any of the bound fields, such as one before login.
    package enum AbsenceRule: Sendable, Equatable {
        /// The binding fails.
        case fail
        /// The request passes if its token is bound to nothing.
        case none
        /// The token must be bound to this text, which the app gives to `setDataHashInToken` as long as it has no value of the
        /// fields (Approov, Token Binding, Checking the Binding).
        case value(String)

        /// The words of a policy.
        enum Word: String, CaseIterable {
            case fail
            case none
        }
    }

    /// The settings of an app, with the defaults of a policy file.
    package struct Settings: Sendable {
        /// The names of the keys; nil for all keys with the app's name as their scope.
        package var keys: [String]?
        package var format = TokenFormat.jws
        package var tokenHeader = "Approov-Token"
        /// The text before the token in that field, such as `Bearer `; nil for none.
        package var tokenPrefix: String?
        /// The request fields that tokens are bound to, in hashing order. Every request must have each of them.
        ///
        /// Approov's SDKs hash the values without a separator, so a token's holder can move characters between neighbouring fields.
        /// Bind one field only, or fields whose values have a fixed form, such as `Bearer` and a signed token.
        package var binding: [String] = []
        /// The treatment of failover tokens. Required with bindings; `accept` by default without.
        package var failover: FailoverRule?
        /// The accepted `iss` values of app and failover tokens.
        package var issuers: [String] = []
        /// The accepted `iss` values of long-lived server tokens.
        package var longLivedIssuers: [String] = []
        /// The accepted `aud` values; empty if tokens have no `aud`.
        package var audiences: [String] = []
        /// The status words that are accepted in place of a token, with a note. All others are rejected.
        package var statusWords: [ApproovStatusWord: StatusWordRule] = [:]
        package var whenAbsent = AbsenceRule.fail
        package var annotations = AnnotationRules()
        /// The maximum remaining lifetime in seconds; nil for any. Example tokens live for an hour. Long-lived server
        /// tokens are exempt.
        package var maximumLifetime: Double?
        /// The rules for signed messages; nil if messages are not signed.
        package var messageSigning: MessageSigning?
        /// The rules for signed texts; nil if texts are not signed.
        package var textSigning: TextSigning?
        /// The rules for measurement proofs; nil for the defaults.
        package var proof: ProofRules?
        package var enforcement = Enforcement.reject

        package init() {}
    }

    package let values: Settings

    /// A field: `configuration.tokenHeader`.
    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Settings, Value>) -> Value { values[keyPath: field] }

    package var failover: FailoverRule { values.failover ?? .accept }
    package var proof: ProofRules { values.proof ?? ProofRules() }

    /// Creates a configuration in code.
    /// - Throws: ``PolicyError`` for an invalid name, a duplicate in a list, a time span out of range, or bindings
    ///   without a failover rule.
    package init(_ settings: Settings = Settings()) throws(PolicyError) {
        try settings.validate()
        values = settings
    }
}
