import Assay
import AssayCore
import Foundation
import PlayIntegrity

/// One raw token of Play Integrity, or Google's answer on one, with what the options say of it.
struct PlayIntegrityRawEvidence: RawEvidence {
    private enum Input {
        case classic(ClassicIntegrityInput)
        case standard(StandardIntegrityInput)
    }

    private let input: Input

    /// Takes the text of a file for a token; an object in JSON for Google's answer.
    init(_ options: PlayIntegrityRawOptions, kind: PlayIntegrityRawKind, file: [UInt8], name: String) throws {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
        let text = file.drop(while: spaces.contains)
        let body = text.prefix(text.reversed().drop(while: spaces.contains).count)
        let packageName = options.packageName ?? ""
        if kind == .classic {
            do {
                input = .classic(
                    try ClassicIntegrityInput(
                        token: String(decoding: body, as: UTF8.self), packageName: packageName,
                        nonce: options.nonce ?? ""))
            } catch {
                throw CommandFailure(.usage, "--nonce: \(error.message)")
            }
        } else {
            let isAnswer = body.first == UInt8(ascii: "{")
            Console.note("\(name): read as \(isAnswer ? "Google's answer" : "a token, to be sent to Google")")
            input = .standard(
                StandardIntegrityInput(
                    packageName: packageName, requestHash: options.requestHash ?? "",
                    evidence: isAnswer
                        ? .decoded(IntegrityAnswer(json: body)) : .token(String(decoding: body, as: UTF8.self))))
        }
    }

    /// Nonces are the caller's: the option is compared, not consumed.
    static func policy(_ options: PlayIntegrityRawOptions, kind: PlayIntegrityRawKind, app: String) throws -> Policy {
        do {
            let rules =
                options.pc
                ? nil
                : PlayIntegrityConfiguration.AndroidRules(
                    certificateDigests: options.certificateDigests, minimumVersionCode: options.minimumVersionCode)
            let keys = try kind == .classic ? [key(options)] : []
            let configuration = try PlayIntegrityConfiguration(
                packageName: options.packageName ?? "", android: rules,
                keys: keys.isEmpty ? nil : keys.map(\.name), challenge: .caller)
            return try Policy(
                apps: [PolicyApp(name: app, configuration)], keys: keys, catalogue: Verifier.catalogue)
        } catch let error as PolicyError {
            throw CommandFailure(.usage, "\(option(error.field)): \(error.message)")
        }
    }

    /// The option that says what a field of a policy says.
    private static func option(_ field: String) -> String {
        switch field {
        case "packageName": RawOption.packageName.rawValue
        case "certificateDigests": RawOption.certificateDigest.rawValue
        default: field
        }
    }

    private static func key(_ options: PlayIntegrityRawOptions) throws(CommandFailure) -> NamedKey {
        let sources = KeySources([
            ("decryptionKey", RawOption.decryptionKey.rawValue, options.decryptionKey),
            ("verificationKey", RawOption.verificationKey.rawValue, options.verificationKey),
        ])
        return NamedKey(name: RawOptions.unnamedApp, material: try sources.read(PlayIntegrityKeys.self).material)
    }

    func verify(with verifier: Verifier, app: String?, at now: Date) async throws -> Verdict {
        switch input {
        case .classic(let input): try await verifier.verifyClassicIntegrityToken(input, app: app, at: now)
        case .standard(let input): try await verifier.verifyStandardIntegrityToken(input, app: app, at: now)
        }
    }
}
