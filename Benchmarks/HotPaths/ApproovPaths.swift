import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

extension ApproovEngine: MeasuredEngine {
    static var hotPaths: [HotPath] { ApproovPaths.all }
    static var verifierPaths: [HotPath] { VerifierPaths.approov }
}

/// Approov without a ledger, from the text of a token or the parts of a request to an assessment.
enum ApproovPaths {
    static var all: [HotPath] {
        [
            HotPath("approov-hs256", count: 1000, { try token(.signed, format: .jws) }, assess),
            HotPath("approov-es256", count: 50, { try token(.signedES256, format: .jws) }, assess),
            HotPath("approov-jwe", count: 500, { try token(.encrypted, format: .jwe) }, assess),
            HotPath("signed-message", count: 50, { try message(body: []) }, assess),
            HotPath(
                "signed-message-with-body", count: 50,
                { try message(body: Array(#"{"item":"4711","count":2,"note":"leave it at the door"}"#.utf8)) }, assess),
        ]
    }

    static func keys() throws -> ApproovTestKeys { try ApproovTestKeys(seed: AppAttestPaths.seed, label: "account") }

    static func namedKeys(_ keys: ApproovTestKeys, isPublic: Bool = false) throws -> [NamedKey] {
        let part = isPublic ? "publicKey" : "secret"
        let text = isPublic ? keys.signingKeyFile : keys.secretFile
        let material = try ApproovKey.reading([part: SecretBytes(Array(text.utf8))])
        return [NamedKey(name: "approov", scope: "shop", material: material)]
    }

    static func mintToken(
        _ keys: ApproovTestKeys, _ form: ApproovTokenBlueprint.Form, device: Int = 0, allowsMessages: Bool = false
    ) throws -> String {
        let identifier = Base64.encode([UInt8](repeating: UInt8(device % 256), count: 16), .standard)
        var claims = ApproovClaimsBlueprint(expiresAt: AppAttestPaths.now + 300, deviceID: identifier)
        if allowsMessages { claims.allowMessages(with: keys) }
        var blueprint = ApproovTokenBlueprint(keys: keys, claims: claims)
        blueprint.form = form
        blueprint.contentKey = [UInt8](repeating: 0x4B, count: 32)
        blueprint.initializationVectors = ([UInt8](repeating: 1, count: 12), [UInt8](repeating: 2, count: 12))
        return try blueprint.mint().token
    }

    static func mintMessage(
        _ keys: ApproovTestKeys, token: String, number: Int, body: [UInt8]
    ) throws -> ApproovMessageInput {
        var blueprint = ApproovMessageBlueprint(
            method: body.isEmpty ? "GET" : "POST", targetURI: "https://api.example.com/v1/items?shop=12&page=\(number)",
            token: token, signer: .installation(keys.installationKey), createdAt: AppAttestPaths.now)
        blueprint.body = body
        if !body.isEmpty { blueprint.fields.append(HTTPMessageParts.Field("Content-Type", "application/json")) }
        let message = try blueprint.mint()
        return ApproovMessageInput(
            method: message.method, targetURI: message.targetURI,
            fields: message.fields.map { ApproovMessageInput.Field($0.name, $0.value) }, body: .bytes(message.body))
    }

    static func configuration(
        format: ApproovConfiguration.TokenFormat = .jws, messages: MessageSigning? = nil
    ) throws -> ApproovConfiguration {
        var settings = ApproovConfiguration.Settings()
        settings.format = format
        settings.messageSigning = messages
        return try ApproovConfiguration(settings)
    }

    private struct Token {
        let input: ApproovTokenInput
        let keys: [NamedKey]
        let expectations: ApproovExpectations
    }

    private static func token(
        _ form: ApproovTokenBlueprint.Form, format: ApproovConfiguration.TokenFormat
    ) throws -> Token {
        let keys = try keys()
        let isPublic = if case .signedES256 = form { true } else { false }
        return Token(
            input: ApproovTokenInput(token: try mintToken(keys, form)),
            keys: try namedKeys(keys, isPublic: isPublic),
            expectations: ApproovExpectations(
                app: "shop", configuration: try configuration(format: format), modes: [:]))
    }

    private static func assess(_ subject: Token) throws {
        let assessment = ApproovTokenAssessor.assess(
            subject.input, keys: subject.keys, standings: { _ in [] }, expectations: subject.expectations,
            now: AppAttestPaths.now)
        try require(assessment.isAcceptable, "the Approov token: \(assessment.checks)")
    }

    private struct Message {
        let input: ApproovMessageInput
        let keys: [NamedKey]
        let expectations: ApproovExpectations
    }

    private static func message(body: [UInt8]) throws -> Message {
        let keys = try keys()
        let token = try mintToken(keys, .signed, allowsMessages: true)
        return Message(
            input: try mintMessage(keys, token: token, number: 0, body: body), keys: try namedKeys(keys),
            expectations: ApproovExpectations(
                app: "shop", configuration: try configuration(messages: MessageSigning(signer: .installation)),
                modes: [:]))
    }

    private static func assess(_ subject: Message) throws {
        let assessment = try ApproovMessageAssessor.assess(
            subject.input, keys: subject.keys, messageKeys: [], standings: { _ in [] },
            expectations: subject.expectations, now: AppAttestPaths.now)
        try require(assessment.isAcceptable, "the signed message: \(assessment.checks)")
    }
}
