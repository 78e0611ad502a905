import AssayCore

/// The challenge that signed client data carries.
enum BoundChallenge: Sendable {
    /// The policy requires no challenge in client data.
    case notRequired
    /// The client data carries these bytes.
    case found([UInt8])
    /// The client data carries no challenge, with the reason.
    case missing(Finding)

    /// The codes of ``missing(_:)``.
    static let codes: [CheckCode] = [
        .clientDataTooLarge, .boundChallengeMissing, .clientDataHashOnly, .clientDataNotJSON,
    ]

    /// The finding for a request whose signature has no nonce.
    static let nonceMissing = Finding(
        .boundChallengeMissing, "the signature has no nonce, and the policy says requests.nonce: ledger")

    /// Looks for the challenge at the place that the policy names.
    init(_ input: AssertionInput, _ binding: AppAttestConfiguration.ClientDataBinding) {
        switch (binding, input.clientData) {
        case (.none, _): self = .notRequired
        case (_, .data(let data)) where data.count > InputLimits.clientData:
            self = .missing(
                Finding(.clientDataTooLarge, "\(data.count) bytes, at most \(InputLimits.clientData) are allowed"))
        case (.raw, .data(let data)):
            self = data.isEmpty ? .missing(Finding(.boundChallengeMissing, "the client data is empty")) : .found(data)
        case (.raw, .hash(let hash)):
            guard let challenge = input.challenge, Digest.sha256(challenge) == hash else {
                self = .missing(
                    Finding(.clientDataHashOnly, "the client data hash is not SHA-256 of a challenge that is given")
                )
                return
            }
            self = .found(challenge)
        case (.challengeAt, .hash):
            self = .missing(
                Finding(.clientDataHashOnly, "the challenge is inside the client data, and only its hash is given"))
        case (.challengeAt(let pointer), .data(let data)): self = BoundChallenge.find(pointer, in: data)
        }
    }

    /// The bytes that a challenge in JSON text may encode: base64 or base64url.
    static func decoded(_ text: [UInt8]) -> [[UInt8]] {
        [Base64.Alphabet.standard, .url].compactMap { try? Base64.decode(text[...], $0) }
    }

    private static func find(_ pointer: JSONPointer, in data: [UInt8]) -> BoundChallenge {
        let document: RecordValue
        do {
            document = try JSONReader.read(data, limit: InputLimits.clientDataJSON)
        } catch {
            return .missing(Finding(.clientDataNotJSON, "the client data is no strict JSON: \(error.detail)"))
        }
        guard let value = pointer.evaluate(in: document) else {
            return .missing(Finding(.boundChallengeMissing, "the client data has nothing at \(pointer)"))
        }
        guard case .text(let text) = value.content, !text.isEmpty else {
            return .missing(
                Finding(
                    .boundChallengeMissing, "expected text at \(pointer) of the client data, found \(value.kindName)"))
        }
        return .found(Array(text.utf8))
    }
}

extension CheckCode {
    fileprivate static let clientDataTooLarge = CheckCode(
        "client-data-too-large", "The client data is larger than the limit, so that no challenge is looked for in it.",
        remedy: .nothing)
    fileprivate static let boundChallengeMissing = CheckCode(
        "challenge-missing",
        "The signed client data has no challenge at the place that `clientData` names, or the signature of a request no "
            + "`nonce`: compare the policy with the app."
    )
    fileprivate static let clientDataHashOnly = CheckCode(
        "client-data-hash-only", "The challenge is inside the client data, and the evidence has only its hash.",
        remedy: .nothing)
    fileprivate static let clientDataNotJSON = CheckCode(
        "client-data-not-json",
        "The policy looks for the challenge in JSON, and the signed client data is no strict JSON.", remedy: .nothing)
}
