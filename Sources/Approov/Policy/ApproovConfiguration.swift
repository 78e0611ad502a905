package import AssayCore

/// What a policy demands of the Approov evidence of one API.
///
/// A class, since every request looks at the same one.
package final class ApproovConfiguration: EngineConfiguration {
    /// The engine's name.
    package static let engine = "approov"
    /// The field of an app in a policy file.
    package static let policyField = "approov"

    /// Which of the two forms of tokens the API gets; Approov fixes it for each domain.
    package enum TokenFormat: String, Sendable, CaseIterable {
        /// Signed.
        case jws
        /// Encrypted.
        case jwe
    }

    /// What is made of tokens of the failover service, which carry little more than `exp` and are bound to nothing.
    package enum FailoverRule: String, Sendable, CaseIterable {
        /// They are rejected.
        case reject
        /// They are accepted; on an API with bindings the verdict notes it.
        case accept
    }

    /// What an app is configured with, all of it with the defaults of a policy file.
    package struct Settings: Sendable {
        /// The names of the keys, and nil for all keys whose scope is the app's name.
        package var keys: [String]?
        /// Which form tokens have.
        package var format = TokenFormat.jws
        /// The field of requests that holds the token.
        package var tokenHeader = "Approov-Token"
        /// What stands before the token in that field, such as `Bearer `, and nil for nothing.
        package var tokenPrefix: String?
        /// The fields of requests that tokens are bound to, in the order in which their values are hashed. Every request
        /// must have each of them.
        ///
        /// Approov's SDKs hash the values one after the other with nothing in between, so that `ab` and `c` have the
        /// digest of `a` and `bc`. Since each field is demanded, none can be left out; but whoever holds a token may move
        /// characters from one field to its neighbour. Bind fields whose values have a form of their own, such as
        /// `Bearer` and a signed token, or one field only.
        package var binding: [String] = []
        /// What is made of tokens of the failover service; must be said when there are bindings, and is accept without.
        package var failover: FailoverRule?
        /// The issuers that tokens of apps and of the failover may name in `iss`.
        package var issuers: [String] = []
        /// The names in `iss` of the long-lived tokens of servers that may come in.
        package var longLivedIssuers: [String] = []
        /// The names of which `aud` must have one, and none when tokens have no `aud`.
        package var audiences: [String] = []
        /// What is made of annotations.
        package var annotations = AnnotationRules()
        /// How long a token may still live, in seconds, and nil for any time: example tokens live for an hour. Long-lived
        /// tokens of servers are not asked.
        package var maximumLifetime: Double?
        /// What is demanded of signed messages, and nil when messages are not signed.
        package var messageSigning: MessageSigning?
        /// What a server does with rejected requests, until it is told otherwise.
        package var enforcement = ApproovEnforcement.reject

        /// All defaults.
        package init() {}
    }

    /// The names of the keys, and nil for all keys whose scope is the app's name.
    package let keys: [String]?
    /// Which form tokens have.
    package let format: TokenFormat
    /// The field of requests that holds the token.
    package let tokenHeader: String
    /// What stands before the token in that field, and nil for nothing.
    package let tokenPrefix: String?
    /// The fields of requests that tokens are bound to, in their order.
    package let binding: [String]
    /// What is made of tokens of the failover service.
    package let failover: FailoverRule
    /// The issuers that tokens of apps and of the failover may name.
    package let issuers: [String]
    /// The issuers of long-lived tokens that may come in.
    package let longLivedIssuers: [String]
    /// The names of which `aud` must have one.
    package let audiences: [String]
    /// What is made of annotations.
    package let annotations: AnnotationRules
    /// How long a token may still live, in seconds; long-lived tokens of servers are not asked.
    package let maximumLifetime: Double?
    /// What is demanded of signed messages.
    package let messageSigning: MessageSigning?
    /// What a server does with rejected requests, until it is told otherwise.
    package let enforcement: ApproovEnforcement

    /// Composes a configuration in code.
    ///
    /// - Throws: ``PolicyError`` when a name is none, something stands in a list twice, a length of time is out of range, or
    ///   there are bindings and nothing is said of the failover.
    package init(_ settings: Settings = Settings()) throws(PolicyError) {
        try settings.validate()
        keys = settings.keys
        format = settings.format
        tokenHeader = settings.tokenHeader
        tokenPrefix = settings.tokenPrefix
        binding = settings.binding
        failover = settings.failover ?? .accept
        issuers = settings.issuers
        longLivedIssuers = settings.longLivedIssuers
        audiences = settings.audiences
        annotations = settings.annotations
        maximumLifetime = settings.maximumLifetime
        messageSigning = settings.messageSigning
        enforcement = settings.enforcement
    }
}
