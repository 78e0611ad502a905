import Approov
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// An API of ours behind Approov, with one key.
struct OurApproov {
    private let keys: [NamedKey]
    private let messageKeys: [NamedKey]
    private let expectations: ApproovExpectations

    /// - Parameters:
    ///   - algorithm: that of tokens, in the names of RFC 7518.
    ///   - key: the secret or the public key of tokens, in the forms in which peers take them.
    ///   - signing: what is demanded of messages.
    ///   - messageKey: the account's message signing key.
    init(
        _ algorithm: String, _ key: Peer.Key, signing: MessageSigning? = nil,
        messageKey: (id: String, bytes: [UInt8])? = nil
    ) throws {
        let part: (String, [UInt8]) =
            switch key {
            case .secret(let bytes): ("secret", Array(Data(bytes).base64EncodedString().utf8))
            case .pem(let text): ("publicKey", Array(text.utf8))
            }
        keys = [NamedKey(name: "key", material: try ApproovKey(parts: [part.0: SecretBytes(part.1)]))]
        messageKeys =
            try messageKey.map {
                let parts = [
                    "secret": Array(Data($0.bytes).base64EncodedString().utf8), "keyID": Array($0.id.utf8),
                ]
                return [
                    NamedKey(
                        name: "message-key", scope: "api",
                        material: try ApproovMessageKey(parts: parts.mapValues { SecretBytes($0) })
                    )
                ]
            } ?? []
        var settings = ApproovConfiguration.Settings()
        settings.keys = ["key"]
        settings.format = algorithm == "A256GCMKW" ? .jwe : .jws
        settings.messageSigning = signing
        expectations = ApproovExpectations(
            app: "api", configuration: try ApproovConfiguration(settings), modes: [:])
    }

    /// The checks that a token fails now.
    func failures(of token: String) -> [String] {
        failures(
            ApproovTokenAssessor.assess(
                ApproovTokenInput(token: token), keys: keys, standings: { _ in [] }, expectations: expectations,
                now: Date()))
    }

    /// The checks that a message fails now, but for that of the replay.
    func failures(of message: MintedApproovMessage) throws -> [String] {
        let input = ApproovMessageInput(
            method: message.method, targetURI: message.targetURI,
            fields: message.fields.map { ApproovMessageInput.Field($0.name, $0.value) }, body: .bytes(message.body))
        return failures(
            try ApproovMessageAssessor.assess(
                input, keys: keys, messageKeys: messageKeys, standings: { _ in [] }, expectations: expectations,
                now: Date()))
    }

    private func failures(_ assessment: Assessment) -> [String] {
        assessment.checks.filter { $0.status == .failed }.map(\.check.name)
    }
}
