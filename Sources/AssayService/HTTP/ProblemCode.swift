import Assay
package import AssayCore

/// The stable codes of problems.
package enum ProblemCode: String, CaseIterable, Sendable {
    // Of requests.
    case unreadableRecord = "unreadable-record"
    case unreadableRequest = "unreadable-request"
    case notFound = "not-found"
    case unknownCheck = "unknown-check"
    case methodNotAllowed = "method-not-allowed"
    case mediaType = "media-type"
    case bodyTooLong = "body-too-long"
    case bodyTooSlow = "body-too-slow"
    case bodyLengthDiffers = "body-length-differs"
    case lineTooLong = "line-too-long"
    case tooManyRequests = "too-many-requests"
    case tooManyConnections = "too-many-connections"
    // Of callers.
    case tokenRequired = "token-required"
    case roleNotAllowed = "role-not-allowed"
    case listenerNotLocal = "listener-not-local"
    case hostNotAllowed = "host-not-allowed"
    case crossSite = "cross-site"
    // Of evidence that gives no verdict.
    case unknownKind = "unknown-kind"
    case unknownApp = "unknown-app"
    case ambiguousApp = "ambiguous-app"
    case challengeLimit = "challenge-limit"
    case challengesOfCaller = "challenges-of-caller"
    case noTime = "no-time"
    case invalidTime = "invalid-time"
    case invalidAccount = "invalid-account"
    case noAccount = "no-account"
    case noKey = "no-key"
    case noService = "no-service"
    // Of requests for tokens.
    case unknownAudience = "unknown-audience"
    case invalidThumbprint = "invalid-thumbprint"
    case invalidKeyProof = "invalid-key-proof"
    case bindingRequired = "binding-required"
    case evidenceNotBound = "evidence-not-bound"
    case tokenLimit = "token-limit"
    case notExchangeable = "not-exchangeable"
    case invalidClaims = "invalid-claims"
    case invalidSecretName = "invalid-secret-name"
    case unknownSecret = "unknown-secret"
    case secretsDisabled = "secrets-disabled"
    case primaryReachable = "primary-reachable"
    case failoverLimit = "failover-limit"
    case failoverBlocked = "failover-blocked"
    case outage
    case notReady = "not-ready"
    // Of forward auth.
    case peerNotTrusted = "peer-not-trusted"
    case badForwarding = "bad-forwarding"
    case partialBody = "partial-body"
    case unknownHost = "unknown-host"
    case tunnelRequested = "tunnel-requested"
    // Of administration.
    case unknownKey = "unknown-key"
    case unknownOperator = "unknown-operator"
    case noStanding = "no-standing"
    case unknownBuild = "unknown-build"
    case permanentBuild = "permanent-build"
    case tooManyBuilds = "too-many-builds"
    case buildsDiffer = "builds-differ"
    case recentOff = "recent-off"
    case subjectBlocked = "subject-blocked"
    case nameTaken = "name-taken"
    case tokenTaken = "token-taken"
    case alreadyRetired = "already-retired"
    case noKeyStore = "no-key-store"
    case invalidName = "invalid-name"
    case invalidScope = "invalid-scope"
    case emptyWindow = "empty-window"
    case unknownUse = "unknown-use"
    case invalidKey = "invalid-key"
    case policyUnusable = "policy-unusable"
    case endPassed = "end-passed"
    case endsAfterCreator = "ends-after-creator"

    /// The code of a wrong call of the library, which has the same name; without a status list, a service is missing.
    package init(_ error: RequestError) { self = ProblemCode(rawValue: error.code) ?? .noService }

    /// Whether it says that a gateway or the service is not configured as the other expects.
    var concernsGateway: Bool {
        switch self {
        case .peerNotTrusted, .badForwarding, .partialBody, .unknownHost, .tunnelRequested: true
        default: false
        }
    }

    /// The schema of `code` in an OpenAPI document.
    static var schema: String {
        #"{"type":"string","enum":\#(JSONText.array(allCases.map { JSONText.string($0.rawValue) }))}"#
    }

    /// What happened, and what to do.
    package var meaning: String {
        switch self {
        case .unreadableRecord:
            "The body is no evidence record: `field` and `offset` say where. Compare it with the page on evidence records."
        case .unreadableRequest:
            "A field or a parameter of the request is missing, unknown or malformed: `field` names it."
        case .notFound: "The listener has no such path. `GET /openapi.json` lists all."
        case .unknownAudience:
            "The policy issues no tokens for this audience: compare it, byte for byte, with `tokens.audiences` of the app."
        case .invalidThumbprint:
            "`jkt` is no SHA-256 thumbprint of a JSON Web Key (RFC 7638): 43 characters of base64url."
        case .invalidKeyProof:
            "`keyProof` does not prove that the client has the key in `jwk`: a DPoP proof by that key, with the challenge as `nonce`, as the page on tokens says."
        case .bindingRequired:
            "The policy issues only tokens that are bound to a key of the client: name its thumbprint as `jkt`."
        case .evidenceNotBound:
            "The evidence does not cover challenge, audience and `jkt` of the request: the app hashes them as the page on tokens says."
        case .notExchangeable:
            "No token is issued for such evidence, and `detail` says why: attest the key, or sign with it, over a challenge of the ledger."
        case .tokenLimit:
            "The device has got tokens as often in this hour as `tokens.hourlyTokens` allows. Ask again after `Retry-After`."
        case .invalidClaims:
            "`claims` is no text of a JSON object, or has a claim that `tokens.claims` of the policy does not allow: `detail` says which."
        case .invalidSecretName:
            "A name is empty, longer than 64 characters, in the list twice, or has characters that names of secrets cannot have."
        case .unknownSecret:
            "The app has no such secret that may be used: see `secrets.names` of the policy, and `assay secrets list`."
        case .secretsDisabled: "The policy gives the app no secrets: it has no `secrets`, or `enabled: no`."
        case .primaryReachable:
            "This is a failover instance, and the first instance can be reached: ask that one for tokens."
        case .failoverLimit:
            "The failover has lasted `failover.limit`, and the first instance still cannot be reached: bring it back."
        case .failoverBlocked:
            "An operator blocked the account or the key in the ledger of the failover instance. It gets no token without evidence."
        case .unknownCheck: "No check and no code has this name. `GET /v1/checks` lists all checks."
        case .methodNotAllowed: "The path accepts other methods: the field `Allow` lists them."
        case .mediaType: "The field `Content-Type` is missing or another one: `detail` says which is expected."
        case .bodyTooLong:
            "The body is longer than `limits.body`, or than the endpoint takes at most. Send less, or raise `limits.body` where that is the limit; `assay inspect` takes more than `/v1/inspect`."
        case .bodyTooSlow: "The body did not arrive within `limits.bodyTime`. Send it again."
        case .bodyLengthDiffers:
            "The body has another length than `Content-Length` says: the connection broke. Send it again."
        case .lineTooLong: "A line of a stream is longer than `limits.line`. The stream ends there."
        case .tooManyRequests:
            "The service handles `limits.requests` requests already. Send it again after `Retry-After`."
        case .tooManyConnections:
            "The listener has `limits.connections` connections with requests already. Send it again after `Retry-After`."
        case .tokenRequired:
            "The request needs `Authorization: Bearer` and the token of an active operator: `assay operators add NAME --role caller`."
        case .roleNotAllowed: "The operator's role does not have the right: `detail` lists the roles that have it."
        case .listenerNotLocal:
            "Secrets are accepted on unix sockets and loopback addresses only. Use one, or `assay keys add`."
        case .hostNotAllowed:
            "The listener takes requests without a token, and `Host` is a name that a page of another site may have: use `localhost`, an IP address, or a name in `allowedHosts` of the configuration."
        case .crossSite:
            "A browser sent the request for a page of another site, as `Sec-Fetch-Site` or `Origin` says. No such page may use the listener."
        case .unknownKind: "The service does not know this kind of evidence: `detail` lists the kinds."
        case .unknownApp:
            "The policy has no such app or route, or the app accepts no evidence of this kind. Correct the name, or the policy."
        case .ambiguousApp: "The evidence fits none or several apps of the policy. Name one as `app`."
        case .challengesOfCaller:
            "The policy leaves the challenges of this app to the backend (`challenge: caller`): issue your own."
        case .challengeLimit:
            "More challenges for attestations were asked for than `limits.challenges` allows. Ask again after `Retry-After`."
        case .noTime: "The record is to be verified as of its receipt, and has no `receivedAt`."
        case .invalidTime: "A time or a duration is out of range."
        case .invalidAccount: "The account is empty or too long."
        case .noAccount: "Evidence of this kind comes with no account. Leave it out."
        case .noKey:
            "No key of the app is active at this time. An operator adds one: see `assay policy check` and `assay keys list`."
        case .noService:
            """
            The evidence needs a client that this service does not run: Google's (`serviceAccount`), Apple's, the \
            status list's, or that of hosts' certificates. `detail` says which. An operator configures it.
            """
        case .outage:
            "The ledger, the key store or Google does not answer. Repeat it after `Retry-After`; never count it as an acceptance."
        case .notReady: "The service starts or stops. Send requests to another instance, or later."
        case .peerNotTrusted: "The peer is none of `authorize.peers`. Add the gateway's address, and no other."
        case .badForwarding:
            "A field in which the gateway states its client's request is missing, repeated or malformed. See the page on gateways."
        case .partialBody: "The gateway sent the beginning of a body only. Let it refuse longer ones."
        case .unknownHost:
            "The host that the client addressed is none of `authorize.origins`. Add it, or let the gateway refuse other hosts."
        case .tunnelRequested:
            "The gateway passes on CONNECT or `Upgrade` of its client, after which nothing is verified. Let it refuse or remove them."
        case .unknownKey: "The ledger or the key store has no such key."
        case .unknownOperator: "No active operator has this name. `GET /v1/admin/operators` lists all."
        case .noStanding: "The subject has no block to remove, or no allowance. A standing of the other kind stays."
        case .unknownBuild: "No such build is admitted. `GET /v1/admin/builds` lists all."
        case .permanentBuild: "The admission has no end: its author or an administrator may remove it."
        case .tooManyBuilds: "The ledger would have more admitted builds than it may. Remove old ones."
        case .buildsDiffer:
            "The request would remove another number of builds than its `count`. Look at them, and repeat it."
        case .recentOff: "The service keeps no verdicts in memory: `recent.rejections` of its configuration is 0."
        case .subjectBlocked: "The subject is blocked, and cannot be allowed. Remove the block first."
        case .nameTaken: "The name is in use. Choose another one."
        case .tokenTaken: "The token is in use. Make another one."
        case .alreadyRetired: "The key was retired before."
        case .noKeyStore: "The service has no key store. An operator sets `masterKey`."
        case .invalidName: "The name is empty, too long, or has characters that names cannot have."
        case .invalidScope: "The key is not for an app or a package that it can be for."
        case .emptyWindow: "The key ends before it begins."
        case .unknownUse: "No kind of key has this use: `detail` lists the uses."
        case .invalidKey: "A part of the key is missing or cannot be read: `detail` says which."
        case .policyUnusable:
            "The policy file cannot be used, and the one before stays in force: `detail` says where it is wrong."
        case .endPassed: "The end of the operator's token, or of the admission, has passed."
        case .endsAfterCreator:
            "The token would end after the token of the operator who adds it. Choose an earlier end."
        }
    }
}
