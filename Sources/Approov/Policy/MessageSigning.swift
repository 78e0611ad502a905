package import AssayCore

/// A policy's rules for message signatures.
package struct MessageSigning: Sendable, Equatable {
    package enum Signer: String, Sendable, CaseIterable {
        /// The app installation, with a key that never leaves the device: the token's `ipk`.
        case installation
        /// The account, with a secret that Approov gives to attested apps: the token's `mskid`.
        case account

        package var label: String {
            switch self {
            case .installation: "install"
            case .account: "account"
            }
        }

        /// The algorithm, by its name in the RFC 9421 registry.
        package var algorithm: String {
            switch self {
            case .installation: "ecdsa-p256-sha256"
            case .account: "hmac-sha256"
            }
        }
    }

    /// The replay protection of messages.
    package enum ReplayGuard: String, Sendable, CaseIterable {
        /// The ledger. Two requests within one second with the same signed content count as one: Approov's clients sign
        /// neither a nonce nor fractions of seconds.
        case ledger
        /// The caller, for example with idempotent operations.
        case caller
    }

    /// A known client deviation from the standards, rejected unless the policy allows it.
    package enum Quirk: String, Sendable, CaseIterable {
        /// `Signature: install="..."`: base64 in a String instead of a Byte Sequence (SDKs up to 3.5.6 on OkHttp).
        case signatureAsString = "signature-as-string"
        /// Values of `Content-Digest` as Strings.
        case digestAsString = "digest-as-string"
        /// `@authority` without the request's port.
        case authorityWithoutPort = "authority-without-port"
        /// `@target-uri` with the URL's fragment, which servers never receive.
        case targetURIWithFragment = "target-uri-with-fragment"
        /// `@target-uri` with an empty path, `https://api.example.com`, where the request has `/`.
        case targetURIWithoutPath = "target-uri-without-path"
        /// `@target-uri` with the host in the case of `Host`; the server has it in lower case.
        case targetURIWithUpperCaseHost = "target-uri-with-upper-case-host"
        /// `@target-uri` with the default port of its scheme, `https://api.example.com:443/`.
        case targetURIWithDefaultPort = "target-uri-with-default-port"
    }

    /// The default components that every signature must cover.
    package static let standardComponents = ["@method", "@target-uri", "approov-token"]

    package var signer: Signer
    /// The names of the account's keys; nil for all keys with the app as their scope. Not used for installations.
    package var keys: [String]?
    /// The components that every signature must cover: field names in lower case, and derived components. A message
    /// with a body must also cover `content-digest`.
    package var components: [String]
    package var freshness: FreshnessWindow
    package var replay: ReplayGuard
    package var quirks: Set<Quirk>
    /// The party that compares bodies that Assay does not receive.
    package var body: RequestRules.BodyRule

    package init(
        signer: Signer, keys: [String]? = nil, components: [String] = MessageSigning.standardComponents,
        freshness: FreshnessWindow = FreshnessWindow(), replay: ReplayGuard = .ledger, quirks: Set<Quirk> = [],
        body: RequestRules.BodyRule = .verified
    ) {
        (self.signer, self.keys, self.components, self.freshness) = (signer, keys, components, freshness)
        (self.replay, self.quirks, self.body) = (replay, quirks, body)
    }
}

extension MessageSigning {
    /// The fields of `messageSigning` in a policy.
    static let table: [SectionField<MessageSigning>] = [
        .field(
            "signer", \.signer, .word, "Whose key signs messages.", required: "allowed are installation, account"
        ).example("installation"),
        .field("keys", \.keys, .texts, "The name of a message signing key of the account."),
        .field("components", \.components, .texts, "What a signature must cover."),
        .freshness(\.freshness),
        .field("replay", \.replay, .word, "Who remembers messages.").weak(
            if: { $0.replay == .caller },
            "caller: a captured message passes again within its window unless the backend detects it"),
        .field("quirks", \.quirks, quirks, "A known deviation of clients from the standards that is accepted."),
        .body(\.body),
    ]

    private static let quirks: FieldForm<Set<Quirk>> = {
        let list = FieldForm<[Quirk]>.list(of: .word)
        return FieldForm(.list(.words(Quirk.self))) {
            list.show($0.sorted { $0.rawValue < $1.rawValue })
        } read: { (node, files) throws(PolicyError) in
            Set(try list.read(node, files))
        }
    }()
}

/// A policy's rules for texts that apps sign with the account's key.
package struct TextSigning: Sendable, Equatable {
    /// The names of the account's keys; nil for all keys with the app as their scope.
    package var keys: [String]?
    package var replay: MessageSigning.ReplayGuard

    package init(keys: [String]? = nil, replay: MessageSigning.ReplayGuard = .ledger) {
        self.keys = keys
        self.replay = replay
    }
}

extension TextSigning {
    /// The fields of `textSigning` in a policy.
    static let table: [SectionField<TextSigning>] = [
        .field("keys", \.keys, .texts, "The name of a message signing key of the account."),
        .field("replay", \.replay, .word, "Who remembers texts.").weak(
            if: { $0.replay == .caller },
            "caller: a captured text passes again until its token expires unless the backend detects it"),
    ]

    func validate() throws(PolicyError) {
        if let keys { try ApproovConfiguration.Settings.requireList(keys, "textSigning.keys") }
    }
}
