import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// Requests that installations have signed, each with a key and a token of its own, and what they are held against.
struct ApproovMessageSubject: Sendable {
    private let now: Date
    private var reads: [ApproovMessageInput]
    private var writes: [ApproovMessageInput]
    private let keys: [NamedKey]
    private let expectations: ApproovExpectations

    /// The requests with a body, and the keys that they are signed with, in the form in which peers load them.
    let minted: [(request: MintedApproovMessage, publicKey: [UInt8])]

    /// - Parameter isLasting: whether the signatures live for an hour and name a key, as peers want them that ask the
    ///   clock and look keys up; without it they are as Approov's SDKs make them.
    init(now: Date, isLasting: Bool = false) throws {
        self.now = now
        let testKeys = try ApproovTestKeys(seed: "benchmark", label: "messages")
        let body = Array(#"{"item":"4711","count":2,"note":"leave it at the door"}"#.utf8)
        let devices = (0..<16).map { _ in TestKey(.p256) }
        func requests(_ method: String, _ body: [UInt8]) throws -> [MintedApproovMessage] {
            try devices.map { try Self.request(method, body, testKeys, device: $0, now, isLasting: isLasting) }
        }
        let (reading, writing) = (try requests("GET", []), try requests("POST", body))
        minted = zip(writing, devices).map { ($0, $1.subjectPublicKeyInfo()) }
        reads = reading.map(Self.input)
        writes = writing.map(Self.input)
        let material = try ApproovKey.reading(["secret": SecretBytes(Array(testKeys.secretFile.utf8))])
        keys = [NamedKey(name: "benchmark", scope: "benchmark", material: material)]
        var settings = ApproovConfiguration.Settings()
        settings.messageSigning = MessageSigning(signer: .installation)
        expectations = ApproovExpectations(
            app: "benchmark", configuration: try ApproovConfiguration(settings), modes: [:])
    }

    /// A request as Approov's SDKs sign it.
    private static func request(
        _ method: String, _ body: [UInt8], _ testKeys: ApproovTestKeys, device: TestKey, _ now: Date, isLasting: Bool
    ) throws -> MintedApproovMessage {
        var keys = testKeys
        keys.installationKey = device
        let second = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        var claims = ApproovClaimsBlueprint(expiresAt: second + 300)
        claims[.installationKey] = .text(Base64.encode(keys.installationPublicKey, .standard))
        let token = try ApproovTokenBlueprint(keys: keys, claims: claims).mint().token
        var blueprint = ApproovMessageBlueprint(
            method: method, targetURI: "https://api.example.com/v1/items?shop=12", token: token,
            signer: .installation(device), createdAt: now)
        blueprint.body = body
        if !body.isEmpty { blueprint.fields.append(HTTPMessageParts.Field("Content-Type", "application/json")) }
        if isLasting {
            blueprint.signing[parameter: "expires"] = .integer(Int64(second.timeIntervalSince1970) + 3600)
            blueprint.signing[parameter: "keyid"] = .string("installation")
        }
        return try blueprint.mint()
    }

    private static func input(_ message: MintedApproovMessage) -> ApproovMessageInput {
        ApproovMessageInput(
            method: message.method, targetURI: message.targetURI,
            fields: message.fields.map { ApproovMessageInput.Field($0.name, $0.value) }, body: .bytes(message.body))
    }

    /// The same, with requests in memory of their own.
    func copied() -> ApproovMessageSubject {
        func text(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }
        func message(_ input: ApproovMessageInput) -> ApproovMessageInput {
            ApproovMessageInput(
                method: text(input.method), targetURI: text(input.targetURI),
                fields: input.fields.map { .init(text($0.name), text($0.value)) }, body: input.body)
        }
        var copy = self
        copy.reads = reads.map(message)
        copy.writes = writes.map(message)
        return copy
    }

    /// Judges requests without a body.
    @Sendable func assessReads(_ count: Int) { assess(reads, count) }

    /// Judges requests with a body, whose digest is signed.
    @Sendable func assessWrites(_ count: Int) { assess(writes, count) }

    private func assess(_ inputs: [ApproovMessageInput], _ count: Int) {
        for index in 0..<count {
            do {
                let assessment = try ApproovMessageAssessor.assess(
                    inputs[index % inputs.count], keys: keys, messageKeys: [], standings: { _ in [] },
                    expectations: expectations, now: now)
                require(assessment.isAcceptable, "the message does not hold: \(assessment.checks)")
            } catch {
                stop("\(error)")
            }
        }
    }
}
