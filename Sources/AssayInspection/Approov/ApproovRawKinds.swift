package import Approov
import AssayCore

extension ApproovEngine {
    private static let policyFields = Configuration.fields

    /// Tokens, signed requests, signed texts and measurement proofs for `assay verify --kind`.
    package static let rawKinds: [RawKind] = [
        RawKind(
            EvidenceKind.approovToken, file: .text(tokenFields),
            options: tokenOptions + [
                boundField.filling("binding", .named), address,
                .form(
                    "loggable",
                    "The file is a loggable token. Accepted means that Approov issued such a token, and lets no request in."
                ),
            ],
            example: [
                "--secret file:secret.b64", "--binding-header Authorization='Bearer ...' --failover reject token.txt",
            ],
            names: { ($0 as? ApproovConfiguration)?.binding ?? [] },
            objection: { arguments in
                if let objection = keyObjection(arguments) ?? valueObjection(arguments) { return objection }
                guard !arguments.has("loggable") || !arguments.has("binding-header") else {
                    return "--binding-header and --loggable exclude each other: a loggable token is bound to no request"
                }
                return failoverObjection(arguments)
            }),
        RawKind(
            EvidenceKind.approovMessage, file: .request,
            options: tokenOptions + [boundField] + messageOptions + [.targetURI, address],
            example: [
                "--secret file:secret.b64", "--signer installation --target-uri https://HOST/PATH request.http",
            ],
            objection: messageObjection),
        RawKind(
            EvidenceKind.approovText, file: .bytes(signedTextFields),
            options: tokenOptions + [boundField.filling("binding", .named)] + [
                .evidence(
                    "token", .textOrFile,
                    required: .always("the token that came with the text, which the text must contain"),
                    "The token that came with a signed text; file: may stand before it."),
                .evidence(
                    "signature", .textOrFile,
                    required: .always("what getMessageSignature returned"),
                    "The signature of a text, 32 bytes in base64; file: may stand before it."),
                accountKey(listedIn: "textSigning.keys"), address,
            ],
            example: [
                "--secret file:secret.b64 --account-key ID=file:account.b64 --token file:token.txt",
                "--signature BASE64 text.txt",
            ],
            names: { ($0 as? ApproovConfiguration)?.binding ?? [] },
            objection: { arguments in
                if let objection = keyObjection(arguments) { return objection }
                guard arguments.hasPolicy || arguments.has("account-key") else {
                    return "--account-key is required without --policy: the key of the account that signs texts"
                }
                return valueObjection(arguments) ?? failoverObjection(arguments)
            }),
        RawKind(
            EvidenceKind.approovProof, file: .text(proofFields),
            options: tokenOptions + [
                .evidence(
                    "nonce", .bytes(plainIsText: false), valueName: "text",
                    "The nonce of a measurement proof: 16 bytes in base64."),
                .evidence("proof", .bytes(plainIsText: false), "The proof, 32 bytes. Base64."),
                .evidence(
                    "measurement", .text, words: ApproovMeasurement.allCases.map(\.rawValue),
                    isVerbatim: false, valueName: "name",
                    "Which measurement the proof must be of, integrity or device; either without it."),
                .form(
                    "measurements",
                    "The file holds the measurements, JSON, and you vouch for them: no token of Approov does. Without it, the "
                        + "file is the token that carries them."),
                .form(
                    "sealed",
                    "The file is a measurement token, which the backend sealed for the hardware whose key is --hardware-key."
                ),
                .key(
                    "hardware-key", "privateKey", of: ApproovHardwareKey.self, .each, listedIn: "proof.keys",
                    "The private key of the hardware, PEM."),
            ],
            objection: { arguments in
                guard !arguments.has("sealed") || !arguments.has("measurements") else {
                    return "--sealed and --measurements exclude each other: the file is one of them"
                }
                guard arguments.hasPolicy || arguments.has("sealed") == arguments.has("hardware-key") else {
                    return "--hardware-key is for --sealed, which needs one"
                }
                guard arguments.has("nonce"), arguments.has("proof") else {
                    return "--nonce and --proof are required: what the hardware gave out, and what it got back"
                }
                return failoverObjection(arguments)
            }),
    ]

    // MARK: Options

    private static let tokenOptions: [RawOption] = [
        .key("secret", "secret", of: ApproovKey.self, .each, "The account's secret."),
        .key(
            "token-public-key", "publicKey", of: ApproovKey.self, .each,
            "A public key that tokens are verified with."),
        .key("key-set", "keySet", of: ApproovKey.self, .each, "A JSON Web Key Set of such keys."),
        .alias(
            "token-format", of: policyFields["format"], valueName: "form",
            help: "The form that tokens of the API have, jws or jwe; jws without it."),
        .alias(of: policyFields["tokenPrefix"], valueName: "text"),
        .alias(
            of: policyFields["failover"], valueName: "rule",
            help:
                "Whether tokens of the failover service are accepted: accept or reject. Required with --binding-header."
        ),
        .alias(of: policyFields["issuers"], valueName: "name"),
        .alias(of: policyFields["longLivedIssuers"], valueName: "name"),
        .alias(of: policyFields["audiences"], valueName: "name"),
        .alias("reject-annotation", of: policyFields["annotations.reject"], valueName: "name"),
        .alias(of: policyFields["maximumLifetime"], valueName: "time"),
    ]

    private static let messageOptions: [RawOption] = [
        .alias(
            of: policyFields["tokenHeader"], valueName: "name",
            help: "The field of a message that holds the token; Approov-Token without it."),
        .alias(
            of: policyFields["messageSigning.signer"],
            required: .withoutPolicy("whose key is to have signed is for you to say"),
            help: "Whose key signs messages, installation or account."),
        .alias(
            of: policyFields["messageSigning.components"], valueName: "name",
            help: "What a signature must cover; \(MessageSigning.standardComponents.joined(separator: " ")) without it."
        ),
        accountKey(listedIn: "messageSigning.keys"),
        .alias(of: policyFields["messageSigning.quirks"], valueName: "name"),
    ]

    private static func accountKey(listedIn field: String) -> RawOption {
        .key(
            "account-key", "secret", of: ApproovMessageKey.self, .identified(by: "keyID"), listedIn: field,
            "A message signing key of the account, after its mskid and =.")
    }

    /// The policy's `binding` has the field name only.
    private static let boundField = RawOption.alias(
        "binding-header", of: policyFields["binding"], isVerbatim: true, valueName: "name=value",
        help: "A field that tokens are bound to, in their order, with the value that the request had; file: may stand "
            + "before it. For a message the name alone."
    ) { .scalar(String($0.prefix { $0 != "=" })) }

    private static let address = RawOption.evidence(
        "address", .text, isVerbatim: false, valueName: "address",
        "The address that the request came from; a signal only.")

    // MARK: Objections

    private static func keyObjection(_ arguments: RawArguments) -> String? {
        let hasKey = ["secret", "token-public-key", "key-set"].contains(where: arguments.has)
        return arguments.hasPolicy || hasKey
            ? nil : "--secret, --token-public-key or --key-set is required without --policy"
    }

    private static func valueObjection(_ arguments: RawArguments) -> String? {
        arguments.texts("binding-header").first { !$0.contains("=") }.map {
            "--binding-header \($0.excerpt): expected NAME=VALUE, with the value of the request"
        }
    }

    private static func failoverObjection(_ arguments: RawArguments) -> String? {
        guard !arguments.hasPolicy, arguments.has("binding-header"), !arguments.sets("failover", "failover") else {
            return nil
        }
        return "--failover is required with --binding-header: tokens of the failover service are bound to nothing, and "
            + "accept lets them past the binding"
    }

    @Sendable
    private static func messageObjection(_ arguments: RawArguments) -> String? {
        if let objection = keyObjection(arguments) { return objection }
        let isAccount = arguments.text("signer") == MessageSigning.Signer.account.rawValue
        // The reader of the policy checks a signer that --set names.
        let isNamed = !arguments.hasPolicy && !arguments.isSet("messageSigning.signer")
        guard !isNamed || isAccount == arguments.has("account-key") else {
            return "--account-key is for --signer account, which needs one"
        }
        if let objection = RawOption.objection(toTargetURIOf: arguments) { return objection }
        if let text = arguments.texts("binding-header").first(where: { $0.contains("=") }) {
            return
                "--binding-header \(text.prefix { $0 != "=" }.description.excerpt): for a message the name alone, as the "
                + "value is that of the request"
        }
        return failoverObjection(arguments)
    }

    // MARK: Files

    @Sendable
    private static func tokenFields(_ text: String, _ arguments: RawArguments) throws(RawError) -> RawFields {
        guard arguments.has("loggable") else {
            guard text.utf8.first != UInt8(ascii: "{") else {
                throw .usage("expected a token, found a JSON object; if it is a loggable token, give --loggable")
            }
            return RawFields([("token", .text(text))], readAs: "a token")
        }
        return RawFields(
            [("loggable", .text(text))],
            readAs: "a loggable token; accepted means that Approov issued the token, and lets no request in")
    }

    /// The text byte for byte: white space at its ends is signed too.
    @Sendable
    private static func signedTextFields(_ file: [UInt8], _ arguments: RawArguments) throws(RawError) -> RawFields {
        guard let text = String(validating: file, as: UTF8.self) else {
            throw .unreadable("the text is no UTF-8, and apps sign no other")
        }
        return RawFields([("text", .text(text))])
    }

    @Sendable
    private static func proofFields(_ text: String, _ arguments: RawArguments) throws(RawError) -> RawFields {
        if arguments.has("sealed") { return RawFields([("sealed", .text(text))], readAs: "a measurement token") }
        guard arguments.has("measurements") else {
            guard text.utf8.first != UInt8(ascii: "{") else {
                throw .usage(
                    "expected a token, found a JSON object; if it holds the measurements and you vouch for them, give "
                        + "--measurements")
            }
            return RawFields([("token", .text(text))], readAs: "the token that carries the measurements")
        }
        do {
            let measurements = try JSONReader.readObject(Array(text.utf8), limit: InputLimits.keyPart)
            return RawFields([("measurements", .object(measurements))], readAs: "the measurements")
        } catch {
            // Omit the decoder's message: it may show part of the proof key.
            throw .unreadable("\(error.reason) at byte \(error.offset)")
        }
    }
}
