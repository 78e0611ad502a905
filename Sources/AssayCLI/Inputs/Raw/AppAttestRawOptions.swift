import AppAttest
import ArgumentParser
import Assay
import AssayPrimitives

/// The options of `assay verify` for one raw blob of App Attest: what a record and a policy would say.
struct AppAttestRawOptions: ParsableArguments {
    @Option(name: .customLong("app-id"), help: "An App ID that is allowed. Repeatable.")
    var appIDs: [String] = []

    @Option(
        name: .customLong("environment"),
        help: "An environment that is allowed, production or development. Repeatable; production without it.",
        completion: .list(AttestEnvironment.allCases.map(\.rawValue)), transform: AppAttestRawOptions.environment)
    var environments: [AttestEnvironment] = []

    // Base64url may begin with a hyphen, which is no option then.
    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("The key identifier that the app sent. Base64.", valueName: "value"),
        transform: { try ValueArgument($0, plain: .base64) })
    var keyID: ValueArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The challenge, text. An attestation's is hashed with SHA-256.", valueName: "value"),
        transform: { try ValueArgument($0, plain: .text) })
    var challenge: ValueArgument?

    @Option(
        help: ArgumentHelp("The client data that an assertion signs, text.", valueName: "value"),
        transform: { try ValueArgument($0, plain: .text) })
    var clientData: ValueArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What the app passed as clientDataHash, taken as it is. Base64.", valueName: "value"),
        transform: { try ValueArgument($0, plain: .base64) })
    var clientDataHash: ValueArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "An assertion's key, SubjectPublicKeyInfo or X9.63 point. Base64. Without a ledger.", valueName: "value"),
        transform: { try ValueArgument($0, plain: .base64) })
    var publicKey: ValueArgument?

    @Option(help: "The greatest counter that was accepted of an assertion's key. Without a ledger.")
    var counter: UInt32?

    @Option(
        help: ArgumentHelp(
            "Where client data carries the challenge: raw, none or a JSON pointer such as /challenge.",
            valueName: "place"),
        transform: AppAttestRawOptions.binding)
    var challengeAt: AppAttestConfiguration.ClientDataBinding?

    @Option(
        help: ArgumentHelp(
            "PEM roots of a test authority in place of Apple's; the verdict says so.", valueName: "file"),
        completion: .file())
    var testRoot: String?

    @Option(
        name: .customLong("minimum-os-version"),
        help: ArgumentHelp("The lowest operating system version of an attestation.", valueName: "version"),
        transform: AppAttestRawOptions.version)
    var minimumOSVersion: DottedVersion?

    /// The options that were given.
    var given: [RawOption] {
        let options: [(RawOption, isGiven: Bool)] = [
            (.appID, !appIDs.isEmpty), (.environment, !environments.isEmpty), (.testRoot, testRoot != nil),
            (.minimumOSVersion, minimumOSVersion != nil), (.challengeAt, challengeAt != nil), (.keyID, keyID != nil),
            (.challenge, challenge != nil), (.clientDataHash, clientDataHash != nil), (.clientData, clientData != nil),
            (.publicKey, publicKey != nil), (.counter, counter != nil),
        ]
        return options.filter(\.isGiven).map(\.0)
    }

    private static func environment(_ text: String) throws -> AttestEnvironment {
        guard let environment = AttestEnvironment(rawValue: text) else {
            let allowed = AttestEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("allowed are \(allowed)")
        }
        return environment
    }

    private static func binding(_ text: String) throws -> AppAttestConfiguration.ClientDataBinding {
        switch text {
        case "raw": return .raw
        case "none": return .none
        default:
            guard text.hasPrefix("/") else {
                throw ValidationError("expected raw, none or a JSON pointer such as /challenge")
            }
            do {
                return .challengeAt(try JSONPointer(text))
            } catch {
                throw ValidationError("expected a JSON pointer (RFC 6901): \(error.message)")
            }
        }
    }

    private static func version(_ text: String) throws -> DottedVersion {
        guard let version = DottedVersion(text) else {
            throw ValidationError("expected a version of numbers and periods, such as 16.0")
        }
        return version
    }
}
