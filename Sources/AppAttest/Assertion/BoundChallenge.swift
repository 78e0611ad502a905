import AssayCore
import AssayPrimitives

/// The challenge in signed client data.
enum BoundChallenge: Sendable {
    /// The policy binds client data to no challenge.
    case notAsked
    /// The client data carries these bytes.
    case found([UInt8])
    /// The client data carries none, for this reason.
    case missing(Finding)

    /// Looks for the challenge at the place that the policy names.
    init(_ input: AssertionInput, _ binding: AppAttestConfiguration.ClientDataBinding) {
        switch (binding, input.clientData) {
        case (.none, _): self = .notAsked
        case (_, .data(let data)) where data.count > InputLimits.clientData:
            self = .missing(
                Finding("client-data-too-large", "\(data.count) bytes, at most \(InputLimits.clientData) are allowed"))
        case (.raw, .data(let data)):
            self = data.isEmpty ? .missing(Finding("challenge-missing", "the client data is empty")) : .found(data)
        case (.raw, .hash(let hash)):
            // The hash must be that of the given challenge.
            guard let challenge = input.challenge, Digest.sha256(challenge) == hash else {
                self = .missing(
                    Finding("client-data-hash-only", "the client data hash is not SHA-256 of a challenge that is given")
                )
                return
            }
            self = .found(challenge)
        case (.challengeAt, .hash):
            self = .missing(
                Finding("client-data-hash-only", "the challenge is inside the client data, and only its hash is given"))
        case (.challengeAt(let pointer), .data(let data)): self = BoundChallenge.find(pointer, in: data)
        }
    }

    /// The bytes that the text of a challenge may encode: clients write bytes in JSON as base64 or base64url.
    static func decoded(_ text: [UInt8]) -> [[UInt8]] {
        [Base64.Alphabet.standard, .url].compactMap { try? Base64.decode(text[...], $0) }
    }

    private static func find(_ pointer: JSONPointer, in data: [UInt8]) -> BoundChallenge {
        let document: RecordValue
        do {
            document = try JSONReader.read(data, limit: InputLimits.clientDataJSON)
        } catch {
            return .missing(Finding("client-data-not-json", "the client data is no strict JSON: \(error.detail)"))
        }
        guard let value = pointer.evaluate(in: document) else {
            return .missing(Finding("challenge-missing", "the client data has nothing at \(pointer)"))
        }
        guard case .text(let text) = value.content, !text.isEmpty else {
            return .missing(
                Finding("challenge-missing", "expected text at \(pointer) of the client data, found \(value.kindName)"))
        }
        return .found(Array(text.utf8))
    }
}
