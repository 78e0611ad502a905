package import AppAttest
import AssayCore

extension AppAttestEngine {
    private static let policyFields = Configuration.fields

    /// Attestations, assertions and receipts for `assay verify --kind`.
    package static let rawKinds: [RawKind] = [
        RawKind(
            EvidenceKind.appAttestAttestation, file: .blob(field: "attestation"),
            options: policyOptions + [
                .alias(of: policyFields["minimumOSVersion"], valueName: "version"),
                keyID, challenge, clientDataHash,
            ],
            defaults: rawDefaults + [RawKind.Default("clientData", .scalar("raw"))],
            example: ["--app-id APPID", "--key-id KEYID --challenge TEXT attestation.b64"],
            objection: { arguments in
                arguments.has("challenge") == arguments.has("client-data-hash")
                    ? "\(EvidenceKind.appAttestAttestation) needs --challenge or --client-data-hash, and not both" : nil
            }),
        RawKind(
            EvidenceKind.appAttestAssertion, file: .blob(field: "assertion"),
            options: policyOptions + [
                challengeAt, keyID, clientData, clientDataHash, challenge,
                publicKey, counter,
            ],
            defaults: rawDefaults + [
                RawKind.Default(
                    "clientData", .scalar("none"),
                    note: "the client data is held against no challenge, as no --challenge-at is given")
            ],
            objection: assertionObjection),
        RawKind(
            EvidenceKind.appAttestRequest, file: .request,
            options: policyOptions + RawOption.requests(in: policyFields) + [publicKey, counter],
            defaults: rawDefaults + [RawKind.Default("clientData", .scalar("none")), .anyNonce],
            example: ["--app-id APPID --public-key KEY --counter 0", "--target-uri https://HOST/PATH request.http"],
            objection: { RawOption.objection(toTargetURIOf: $0) ?? keyObjection($0) }),
        RawKind(
            EvidenceKind.appAttestReceipt, file: .blob(field: "receipt"), options: policyOptions + [keyID],
            defaults: rawDefaults + [RawKind.Default("clientData", .scalar("raw"))]),
    ]

    private static let policyOptions: [RawOption] = [
        .alias(
            of: policyFields["appIDs"], required: .withoutPolicy("which app is genuine is for you to say")),
        .alias(
            of: policyFields["environments"],
            help: "An environment that is allowed, production or development; production without it."),
        .testRoot(in: policyFields, insteadOf: "Apple"),
    ]

    private static let keyID = RawOption.evidence(
        "keyId", .bytes(plainIsText: false),
        required: .always(
            "the evidence must be that of the key that the app named, which the evidence cannot vouch for itself"),
        "The key identifier that the app sent. Base64.")
    private static let challenge = RawOption.evidence(
        "challenge", .bytes(plainIsText: true),
        "The challenge, text. An attestation's is hashed with SHA-256.")
    private static let clientData = RawOption.evidence(
        "clientData", .bytes(plainIsText: true),
        "The client data that an assertion signs, text.")
    private static let clientDataHash = RawOption.evidence(
        "clientDataHash", .bytes(plainIsText: false),
        "What the app passed as clientDataHash, taken as it is. Base64.")
    private static let publicKey = RawOption.evidence(
        "key.publicKey", .publicKey,
        "An assertion's key. \(RawOption.publicKeyForms) Without a ledger.")
    private static let counter = RawOption.evidence(
        "key.counter", .number, isVerbatim: false, valueName: nil,
        "The greatest counter that was accepted of an assertion's key. Without a ledger.")
    private static let challengeAt = RawOption.alias(
        "challenge-at", of: policyFields["clientData"], valueName: "place",
        help: "Where client data carries the challenge: raw, none or a JSON pointer such as /challenge."
    ) { text in
        guard text.hasPrefix("/") else { return .scalar(text) }
        let pointer = PolicyNode(.scalar(text), path: "challenge-at", line: 0, file: nil)
        return .mapping([(key: "challengeAt", line: 0, value: pointer)])
    }

    /// The caller supplies the challenge: it is compared, not consumed.
    private static let rawDefaults = [
        RawKind.Default("challenge", .scalar(AppAttestConfiguration.ChallengeSource.caller.rawValue)),
        RawKind.Default(
            "environments",
            .sequence([PolicyNode(.scalar(AttestEnvironment.production.rawValue), path: "", line: 0, file: nil)]),
            note: "environment production, as no --environment is given"),
    ]

    private static func keyObjection(_ arguments: RawArguments) -> String? {
        if let ledger = arguments.ledger {
            guard !arguments.has("public-key"), !arguments.has("counter") else {
                return "--public-key and --counter are for use without a ledger; \(ledger) has the key or refuses"
            }
        } else if !arguments.has("public-key") || !arguments.has("counter") {
            return
                "an assertion needs --public-key and --counter, or the ledger that has its key (--ledger sqlite:PATH)"
        }
        return nil
    }

    @Sendable
    private static func assertionObjection(_ arguments: RawArguments) -> String? {
        guard arguments.has("client-data") != arguments.has("client-data-hash") else {
            return "an assertion needs --client-data or --client-data-hash, and not both"
        }
        if let objection = keyObjection(arguments) { return objection }
        guard !arguments.hasPolicy else { return nil }
        switch (arguments.text("challenge-at"), arguments.has("challenge")) {
        case (nil, true): return "--challenge-at is required with --challenge: where client data carries it"
        case ("none", true): return "--challenge-at none binds nothing to --challenge; leave one of them out"
        case (.some(let place), false) where place != "none":
            return "--challenge is required with --challenge-at: what to compare with"
        default: return nil
        }
    }
}
