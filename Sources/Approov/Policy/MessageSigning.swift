/// What a policy demands of the signatures of messages.
package struct MessageSigning: Sendable, Equatable {
    /// Whose key signs.
    package enum Signer: String, Sendable, CaseIterable {
        /// The installation of the app, with a key that never leaves the device: the token's `ipk`.
        case installation
        /// The account, with a secret that Approov hands to attested apps: the token's `mskid`.
        case account

        /// The label of the signature.
        package var label: String {
            switch self {
            case .installation: "install"
            case .account: "account"
            }
        }

        /// The algorithm, by its name in the registry of RFC 9421.
        package var algorithm: String {
            switch self {
            case .installation: "ecdsa-p256-sha256"
            case .account: "hmac-sha256"
            }
        }
    }

    /// Who remembers messages, so that none is accepted twice.
    package enum ReplayGuard: String, Sendable, CaseIterable {
        /// The ledger. Two requests that are alike in everything that is signed, within one second, count as one: clients
        /// of Approov sign neither a nonce nor fractions of seconds.
        case ledger
        /// The caller, such as by the idempotence of what is asked.
        case caller
    }

    /// A deviation from the standards that clients are known for, which is refused unless the policy takes it.
    package enum Quirk: String, Sendable, CaseIterable {
        /// `Signature: install="..."`: base64 in a String in place of a Byte Sequence (SDKs up to 3.5.6 on OkHttp).
        case signatureAsString = "signature-as-string"
        /// Values of `Content-Digest` as Strings.
        case digestAsString = "digest-as-string"
        /// `@authority` without the port that the request was sent to.
        case authorityWithoutPort = "authority-without-port"
        /// `@target-uri` with the fragment of the URL, which no server ever sees.
        case targetURIWithFragment = "target-uri-with-fragment"
        /// `@target-uri` with an empty path, `https://api.example.com`, where the request has `/`.
        case targetURIWithoutPath = "target-uri-without-path"
        /// `@target-uri` with the host in the case of `Host`; the server has it in lower case.
        case targetURIWithUpperCaseHost = "target-uri-with-upper-case-host"
        /// `@target-uri` with the default port of its scheme, `https://api.example.com:443/`.
        case targetURIWithDefaultPort = "target-uri-with-default-port"
    }

    /// How far the time of a signature may be from that of judgement, both ends included.
    package struct Freshness: Sendable, Equatable {
        /// How old a signature may be, in seconds.
        package let past: Double
        /// How far ahead of the server's clock it may be, in seconds.
        package let future: Double

        /// States the window; without arguments one minute back, since clients let signatures expire after 15 seconds, and
        /// 15 seconds ahead.
        package init(past: Double = 60, future: Double = 15) {
            self.past = past
            self.future = future
        }
    }

    /// What every signature covers when the policy does not say.
    package static let standardComponents = ["@method", "@target-uri", "approov-token"]

    /// Whose key signs.
    package let signer: Signer
    /// The names of the account's keys, and nil for all whose scope is the app. None for installations.
    package let keys: [String]?
    /// What every signature must cover: names of fields in lower case, and derived components. `content-digest` is
    /// demanded besides of every message with a body.
    package let components: [String]
    /// How far the time of a signature may be off.
    package let freshness: Freshness
    /// Who remembers messages.
    package let replay: ReplayGuard
    /// The deviations that are taken.
    package let quirks: Set<Quirk>

    /// States the demands.
    package init(
        signer: Signer, keys: [String]? = nil, components: [String] = MessageSigning.standardComponents,
        freshness: Freshness = Freshness(), replay: ReplayGuard = .ledger, quirks: Set<Quirk> = []
    ) {
        self.signer = signer
        self.keys = keys
        self.components = components
        self.freshness = freshness
        self.replay = replay
        self.quirks = quirks
    }
}
