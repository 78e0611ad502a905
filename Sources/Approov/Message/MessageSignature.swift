public import AssayCore
import FoundationEssentials

extension CheckID {
    /// The signature's fields have the only allowed form.
    public static let approovMessageDecode = CheckID("approov.message.decode")
}

extension ApproovCheck {
    static let messageDecodeEntry = CheckDefinition(
        .approovMessageDecode, .gate,
        proves:
            "`Signature-Input` and `Signature` are strict structured fields with one signature of the policy's label.",
        stops: "Signatures that two parsers read differently, such as with duplicate labels or parameters.",
        lookAt: """
            The byte in the detail; `signer` in the policy; whether a proxy changed or removed the fields; old SDKs \
            that write the signature as a String, see `quirks`.
            """,
        source: "RFC 9421 section 4, RFC 9651",
        remedy: .nothing,
        codes: RequestSignature.codes + [.messageAlgorithmNotAllowed, .derSignature, .messageSignatureLength])
}

extension RequestSignature {
    /// Finds the signature of a message under the label of the policy's signer.
    init(of message: HTTPMessageParts, _ signing: MessageSigning) throws(CheckFailure) {
        try self.init(
            label: signing.signer.label, in: message,
            form: signing.quirks.contains(.signatureAsString) ? .byteSequenceOrString : .byteSequence)
        try requireAlgorithm(signing.signer)
        try requireLength(signing.signer)
    }

    /// The algorithm is optional and must be the signer's.
    private func requireAlgorithm(_ signer: MessageSigning.Signer) throws(CheckFailure) {
        guard let algorithm = input.algorithm, !algorithm.isByteEqual(to: signer.algorithm) else { return }
        throw CheckFailure(
            .messageAlgorithmNotAllowed,
            "the signature names alg \"\(algorithm.excerpt)\"; under the label \(signer.label) it is \(signer.algorithm)"
        )
    }

    private func requireLength(_ signer: MessageSigning.Signer) throws(CheckFailure) {
        let expected =
            switch signer {
            case .installation: 64
            case .account: 32
            }
        guard bytes.count != expected else { return }
        let found = bytes.count
        if signer == .installation, found > 2, bytes[0] == 0x30, Int(bytes[1]) == found - 2 {
            throw CheckFailure(
                .derSignature,
                "the signature is written in DER; \(signer.algorithm) is r and s of 32 bytes each, one after the other")
        }
        throw CheckFailure(
            .messageSignatureLength, "the signature has \(found) bytes; one of \(signer.algorithm) has \(expected)")
    }
}

extension CheckCode {
    fileprivate static let messageAlgorithmNotAllowed = CheckCode(
        "algorithm-not-allowed",
        "The signature names another algorithm than the one that belongs to the policy's `signer`.")
    fileprivate static let derSignature = CheckCode(
        "der-signature", "The client writes the ECDSA signature in DER, and RFC 9421 demands r and s of 32 bytes each.")
    fileprivate static let messageSignatureLength = CheckCode(
        "wrong-length",
        "The signature has another length than one of its algorithm: it was cut, or made with another algorithm.")
}

extension CheckID {
    /// The message is used only once.
    public static let approovMessageReplay = CheckID("approov.message.replay")
}

extension ApproovCheck {
    static let replayEntry = CheckDefinition(
        .approovMessageReplay, .ledger,
        proves: "The signed message is accepted for the first time inside its window.",
        stops: "Replay of a recorded request, also with the other form that an ECDSA signature has.",
        lookAt: """
            Whether the request was sent twice; identical requests within one second count as one, see `replay` in \
            the policy.
            """,
        source: "RFC 9421 section 7.2.2",
        remedy: .retry, codes: CheckCode.ofDigest)
}

extension LedgerEffect {
    /// Remembers a message until it is too old to be accepted. The signed bytes contain the token, which names the key.
    static func rememberMessage(
        _ base: [UInt8], created: Int64, _ window: FreshnessWindow, app: String, at now: Date
    ) -> LedgerEffect {
        rememberRequest(
            base, created: created, window, CheckID.approovMessageReplay, EvidenceKind.approovMessage, app: app, at: now
        )
    }
}
