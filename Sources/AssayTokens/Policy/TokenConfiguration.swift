package import AssayCore

/// The token rules of an app: issuer, audiences and key binding. The field `tokens`.
@dynamicMemberLookup
package final class TokenConfiguration: EngineConfiguration {
    package static let engine = "assay"
    package static let policyField = "tokens"

    /// The shortest life of a token in seconds.
    package static let shortestLife: Double = 60
    /// The longest life of a token in seconds: an hour.
    package static let longestLife: Double = 3600
    /// The life of a token for one use in seconds.
    package static let limitedUseLife: Double = 60

    /// Whether proofs must contain a nonce of the server (RFC 9449 section 9).
    package enum NonceRule: String, Sendable, CaseIterable {
        /// The time in the proof suffices.
        case none
        /// A proof contains a nonce that the server gave out in the last minutes.
        case required
    }

    /// Whether tokens must be bound to a key.
    package enum KeyRule: String, Sendable, CaseIterable {
        /// A token without a key is a bearer token.
        case optional
        /// No token is issued or accepted without a key.
        case required
    }

    /// Whether tokens may be of a kind that the policy of every service should know of: an `env`, or the claims of EAR
    /// (draft-ietf-rats-ear).
    package enum Permission: String, Sendable, CaseIterable {
        /// None is issued or accepted.
        case refuse
        /// They are issued and accepted, with a claim that says so.
        case allow
    }

    /// The format of issued tokens.
    package enum Format: String, Sendable, CaseIterable {
        /// A JWT of the type `assay+jwt`.
        case assay
        /// A token as Approov's service issues it, for backends that check those.
        case approov
        /// A client attestation of draft-ietf-oauth-attestation-based-client-auth.
        case clientAttestation = "oauth-client-attestation"
    }

    /// The form of tokens in Approov's format. Approov fixes it for each API.
    package enum ApproovForm: String, Sendable, CaseIterable {
        /// A JWS, HS256.
        case jws
        /// A JWE, A256GCMKW and A256GCM.
        case jwe
    }

    /// What rejected evidence gets in Approov's format.
    package enum RefusedRule: String, Sendable, CaseIterable {
        case verdict
        /// A token of the same shape under a random key, as Approov's service gives: the app does not learn that it was rejected.
        case token
    }

    /// Whether a failover instance issues tokens without evidence for the app while the first instance cannot be reached.
    package enum FailoverRule: String, Sendable, CaseIterable {
        /// It issues none.
        case refuse
        /// It issues tokens in Approov's format.
        case issue
    }

    /// Which annotated checks a token names.
    package enum AnnotationRule: Sendable, Equatable {
        case none
        case all
        /// Those with one of these names.
        case listed([String])

        func names(_ check: CheckID) -> Bool {
            switch self {
            case .none: false
            case .all: true
            case .listed(let names): names.containsBytes(of: check.name)
            }
        }
    }

    /// Whether tokens in Approov's format have the client's address, `ip`.
    package enum AddressUse: String, Sendable, CaseIterable {
        /// They have it if the request or the record states it.
        case token
        /// They have none.
        case none
    }

    /// Whether the app gets the account's key for message signing with its tokens.
    package enum MessageKeyRule: String, Sendable, CaseIterable {
        /// It gets none, and tokens have no `mskid`.
        case none
        /// It gets the key after an acceptance, and a random one otherwise.
        case deliver
    }

    /// Whether the app gets its signed configuration with its tokens.
    package enum ConfigurationRule: String, Sendable, CaseIterable {
        /// It gets none.
        case none
        /// It gets the pins of the ledger.
        case pins
    }

    /// What an app's tokens look like.
    package struct Shape: Sendable {
        package var format = Format.assay
        /// `sub` of client attestations: the client ID at the authorization server.
        package var clientID: String?
        package var approovForm = ApproovForm.jws
        package var refused = RefusedRule.verdict
        package var failover = FailoverRule.refuse
        package var ear = Permission.refuse
        /// Which annotated checks a token names. Any reader of a JWS sees them, an attacker with the app too; but Assay's own tokens
        /// are what a service decides by.
        package var annotations: AnnotationRule {
            get { statedAnnotations ?? (format == .approov ? .none : .all) }
            set { statedAnnotations = newValue }
        }
        private var statedAnnotations: AnnotationRule?
        package var address = AddressUse.token
        package var messageKey = MessageKeyRule.none

        package init() {}
    }

    /// The fields of the section, with their defaults. ``table`` describes them.
    package struct Values: Sendable {
        /// `iss`: an https URL without query and fragment, or for tests an http URL of this machine, compared byte for byte.
        package var issuer = ""
        /// `aud`: for whom tokens may be issued.
        package var audiences: [String] = []
        /// The audiences whose tokens are accepted here; by default, all.
        package var acceptedAudiences: [String] {
            get { statedAcceptedAudiences ?? audiences }
            set { statedAcceptedAudiences = newValue }
        }
        private var statedAcceptedAudiences: [String]?
        package var life: Double = 300
        /// The life in seconds of a token for whose evidence one of ``riskChecks`` was annotated; nil for ``life``.
        package var riskLife: Double?
        /// The names of the checks that shorten the life; any without names.
        package var riskChecks: [String] = []
        /// The most tokens that a device gets in an hour; nil for any number.
        package var hourlyTokens: Int?
        package var key = KeyRule.required
        package var nonce = NonceRule.none
        package var limitedUse = false
        package var testAuthorities = Permission.refuse
        package var callerEvidence = Permission.refuse
        package var noEvidence = Permission.refuse
        package var debugTokens: [DebugToken] = []
        package var enforcement = Enforcement.reject
        package var claims: [AppClaimRule] = []
        /// What the app's configuration holds.
        package var configuration = ConfigurationRule.none
        /// What issued tokens look like.
        package var shape = Shape()
    }

    package let values: Values

    /// A field: `configuration.issuer`.
    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    /// The life of a token in seconds.
    /// - Parameter verdict: the one on its evidence; nil for evidence that was not judged to its end.
    func tokenLife(after verdict: Verdict?) -> Double {
        guard let short = values.riskLife, let verdict else { return values.life }
        // Only what accepted evidence can have too: the life of a decoy must not show that a check failed.
        let isRisky = verdict.annotated.contains {
            values.riskChecks.isEmpty || values.riskChecks.containsBytes(of: $0.name)
        }
        return isRisky ? min(short, values.life) : values.life
    }

    /// Yes.
    package var givesTokens: Bool { true }

    /// Whether rejected evidence gets a token, so that no answer may depend on the evidence in another way.
    package var hidesRejections: Bool { values.shape.format == .approov && values.shape.refused == .token }

    init(_ values: Values) { self.values = values }

    /// States the rules. `others` sets other fields.
    package convenience init(issuer: String, audiences: [String], _ others: (inout Values) -> Void = { _ in }) {
        var values = Values()
        values.issuer = issuer
        values.audiences = audiences
        others(&values)
        self.init(values)
    }
}
