import Assay
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

    init(now: Date) throws {
        self.now = now
        let secret = (0..<64).map { UInt8($0 * 3 + 1) }
        let body = Array(#"{"item":"4711","count":2,"note":"leave it at the door"}"#.utf8)
        reads = try (0..<16).map { try Self.request("GET", [], secret, installation: $0, now) }
        writes = try (0..<16).map { try Self.request("POST", body, secret, installation: $0, now) }
        let material = try ApproovKey.reading(["secret": SecretBytes(Array(Base64.encode(secret, .standard).utf8))])
        keys = [NamedKey(name: "benchmark", scope: "benchmark", material: material)]
        var settings = ApproovConfiguration.Settings()
        settings.messageSigning = MessageSigning(signer: .installation)
        expectations = ApproovExpectations(
            app: "benchmark", configuration: try ApproovConfiguration(settings), modes: [:])
    }

    /// A request as Approov's SDKs sign it.
    private static func request(
        _ method: String, _ body: [UInt8], _ secret: [UInt8], installation: UInt8, _ now: Date
    ) throws -> ApproovMessageInput {
        let key = TestKey(.p256)
        let publicKey = Base64.encode(key.subjectPublicKeyInfo(), .standard)
        let token = ApproovTokenSubject.token(
            secret, device: installation, expiry: now + 300, more: #","ipk":"\#(publicKey)""#)
        var blueprint = ApproovMessageBlueprint(
            method: method, targetURI: "https://api.example.com/v1/items?shop=12", token: token,
            signer: .installation(key), createdAt: now)
        blueprint.body = body
        if !body.isEmpty { blueprint.fields.append(HTTPMessageParts.Field("Content-Type", "application/json")) }
        let message = try blueprint.mint()
        return ApproovMessageInput(
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
                demand(assessment.holds, "the message does not hold: \(assessment.checks)")
            } catch {
                stop("\(error)")
            }
        }
    }
}
