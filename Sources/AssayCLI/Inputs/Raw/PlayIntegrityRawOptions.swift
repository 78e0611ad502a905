import ArgumentParser
import Assay
import PlayIntegrity

/// The options of `assay verify` for one raw token of Play Integrity: what a record and a policy would say.
struct PlayIntegrityRawOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The package name of the app that is to have asked for the token.", valueName: "name"))
    var packageName: String?

    // Base64url may begin with a hyphen, which is no option then.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The nonce of a classic token's request, as the app was given it; of a measurement proof, 16 bytes in base64.",
            valueName: "text"))
    var nonce: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The request hash of a standard token, as the server computes it.", valueName: "text"))
    var requestHash: String?

    @Option(
        name: .customLong("certificate-digest"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The SHA-256 of a signing certificate that is allowed, hexadecimal or base64. Repeatable.",
            valueName: "digest"),
        transform: PlayIntegrityRawOptions.digest)
    var certificateDigests: [[UInt8]] = []

    @Option(help: ArgumentHelp("The lowest version code that is allowed.", valueName: "number"))
    var minimumVersionCode: Int64?

    @Option(
        help: ArgumentHelp("The decryption key of the Play Console, \(SecretSource.allowed).", valueName: "source"))
    var decryptionKey: String?

    @Option(
        help: ArgumentHelp("The verification key of the Play Console, \(SecretSource.allowed).", valueName: "source"))
    var verificationKey: String?

    @Flag(help: "The standard token is that of a game on PC.")
    var pc = false

    /// The options that were given.
    var given: [RawOption] {
        let options: [(RawOption, isGiven: Bool)] = [
            (.packageName, packageName != nil), (.nonce, nonce != nil), (.requestHash, requestHash != nil),
            (.certificateDigest, !certificateDigests.isEmpty), (.minimumVersionCode, minimumVersionCode != nil),
            (.decryptionKey, decryptionKey != nil), (.verificationKey, verificationKey != nil), (.pc, pc),
        ]
        return options.filter(\.isGiven).map(\.0)
    }

    /// Holds the options against each other.
    ///
    /// - Throws: `ValidationError`.
    func validate(_ kind: PlayIntegrityRawKind, policy: Bool) throws {
        guard packageName != nil else {
            throw ValidationError("--package-name is required: which app is genuine is for you to say")
        }
        switch kind {
        case .classic:
            guard nonce != nil else {
                throw ValidationError("--nonce is required: without it the token may be that of any other request")
            }
            try SecretArgument.validate(decryptionKey, of: RawOption.decryptionKey.rawValue)
            try SecretArgument.validate(verificationKey, of: RawOption.verificationKey.rawValue)
            guard policy || (decryptionKey != nil && verificationKey != nil) else {
                throw ValidationError("--decryption-key and --verification-key are required without --policy")
            }
        case .standard:
            guard requestHash != nil else {
                throw ValidationError(
                    "--request-hash is required: without it the token may be that of any other request")
            }
        }
        if pc, let option = [RawOption.certificateDigest, .minimumVersionCode].first(where: given.contains) {
            throw ValidationError("\(option.rawValue) and --pc exclude each other: tokens of PCs say nothing of it")
        }
        guard policy || pc || !certificateDigests.isEmpty else {
            throw ValidationError("--certificate-digest is required without --policy: whose build is genuine")
        }
    }

    private static func digest(_ text: String) throws -> [UInt8] {
        do {
            return try CertificateDigestText.decode(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
