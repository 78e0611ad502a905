import AssayCore
package import PlayIntegrity

extension PlayIntegrityEngine {
    private static let policyFields = Configuration.fields

    /// Tokens, and Google's answers to them, for `assay verify --kind`.
    package static let rawKinds: [RawKind] = [
        RawKind(
            EvidenceKind.playIntegrityClassic,
            file: .text { (text, arguments) throws(RawError) in try tokenOrAnswer(text, arguments, note: nil) },
            options: [
                packageName(.always(whichApp)).filling("packageName", .text),
                .evidence(
                    "nonce", .text, valueName: "text", required: .always(anyRequest),
                    "The nonce of a classic token: the text that the server gave to the app."),
                decoded, certificateDigest, minimumVersionCode,
                .key(
                    "decryption-key", "decryptionKey", of: PlayIntegrityKeys.self, .one,
                    "The decryption key of the Play Console."),
                .key(
                    "verification-key", "verificationKey", of: PlayIntegrityKeys.self, .one,
                    "The verification key of the Play Console."),
            ],
            // The caller owns the nonce: the option is compared, not consumed.
            defaults: [
                RawKind.Default("challenge", .scalar(PlayIntegrityConfiguration.ChallengeSource.caller.rawValue))
            ],
            example: [
                "--package-name NAME --nonce TEXT", "--certificate-digest DIGEST --decryption-key file:D.b64",
                "--verification-key file:V.b64 token.txt",
            ],
            objection: { arguments in
                if arguments.hasPolicy { return nil }
                let keys = ["decryption-key", "verification-key"].filter { arguments.has($0) }
                let isGoogles = arguments.has("decoded") || arguments.hasService
                if isGoogles, let key = keys.first {
                    return "--\(key) is for tokens that this program opens; Google opened or opens this one"
                }
                guard isGoogles || keys.count == 2 else {
                    return
                        "--decryption-key and --verification-key are required without --policy, or --service-account to "
                        + "have Google open the token"
                }
                return certificateObjection(arguments)
            }),
        RawKind(
            EvidenceKind.playIntegrityStandard,
            file: .text { (text, arguments) throws(RawError) in
                try tokenOrAnswer(text, arguments, note: "a token, to be sent to Google")
            },
            options: [
                packageName(.always(whichApp)).filling("packageName", .text),
                .evidence(
                    "requestHash", .text, valueName: "text", required: .always(anyRequest),
                    "The request hash of a standard token, as the server computes it."),
                decoded, certificateDigest, minimumVersionCode,
                .flag(
                    "pc", sets: policyFields["platform"], to: IntegrityTokenForm.pc.rawValue,
                    "The standard token is that of a game on PC."),
            ],
            objection: { arguments in
                for option in ["certificate-digest", "minimum-version-code"]
                where arguments.has("pc") && arguments.has(option) {
                    return "--\(option) and --pc exclude each other: tokens of PCs say nothing of it"
                }
                return arguments.hasPolicy || arguments.sets("pc", "platform") ? nil : certificateObjection(arguments)
            }),
        RawKind(
            EvidenceKind.playIntegrityRequest, file: .request,
            options: [packageName(.withoutPolicy(whichApp))] + RawOption.requests(in: policyFields) + [
                .evidence(
                    "decoded", as: "answer", .jsonFile, isVerbatim: false, valueName: "file",
                    "Google's answer of the decode call, a file, and you vouch for it: nothing in it shows that Google made it."
                ), certificateDigest, minimumVersionCode,
            ],
            defaults: [.anyNonce],
            example: [
                "--package-name NAME --certificate-digest DIGEST --service-account file:account.json",
                "--target-uri https://HOST/PATH request.http",
            ],
            objection: { arguments in
                RawOption.objection(toTargetURIOf: arguments)
                    ?? (arguments.hasPolicy ? nil : certificateObjection(arguments))
            }),
    ]

    private static let anyRequest = "without it the token may be that of any other request"
    private static let whichApp = "which app is genuine is for you to say"
    private static let decoded = RawOption.form(
        "decoded",
        "The file is Google's answer of the decode call, and you vouch for it: nothing in it shows that Google made it."
    )
    private static let certificateDigest = RawOption.alias(
        of: policyFields["certificateDigests"], isVerbatim: true, valueName: "digest")
    private static let minimumVersionCode = RawOption.alias(
        of: policyFields["minimumVersionCode"], valueName: "number")

    private static func packageName(_ required: RawOption.Requirement) -> RawOption {
        .alias(
            of: policyFields["packageName"], valueName: "name", required: required,
            help: "The package name of the app that must have requested the token.")
    }

    private static func certificateObjection(_ arguments: RawArguments) -> String? {
        arguments.sets("certificate-digest", "certificateDigests")
            ? nil : "--certificate-digest is required without --policy: whose build is genuine"
    }

    /// A token, or with `--decoded` Google's answer.
    private static func tokenOrAnswer(
        _ text: String, _ arguments: RawArguments, note: String?
    ) throws(RawError) -> RawFields {
        guard arguments.has("decoded") else {
            guard text.utf8.first != UInt8(ascii: "{") else {
                throw .usage(
                    "expected a token, found a JSON object; if it is Google's answer and you vouch for it, give --decoded"
                )
            }
            return RawFields([("token", .text(text))], readAs: note)
        }
        do {
            let answer = try JSONReader.readObject(Array(text.utf8), limit: InputLimits.integrityAnswer)
            return RawFields([("decoded", .object(answer))], readAs: "Google's answer")
        } catch {
            throw .malformed(error)
        }
    }
}
