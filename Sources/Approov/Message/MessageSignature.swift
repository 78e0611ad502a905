package import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

extension ApproovCheck {
    /// The signature's fields have the only allowed form.
    package static let messageDecode = CheckID("approov.message.decode")

    static let messageDecodeEntry = CheckDefinition(
        messageDecode, .gate,
        proves: """
            `Signature-Input` and `Signature` are strict structured fields with one signature of the policy's label.
            """,
        stops: "Signatures that two parsers read differently, such as with duplicate labels or parameters.",
        lookAt: """
            The byte in the detail; `signer` in the policy; whether a proxy changed or removed the fields; old SDKs \
            that write the signature as a String, see `quirks`.
            """,
        source: "RFC 9421 section 4, RFC 9651",
        remedy: .nothing,
        codes: CheckCode.ofDecoding + [
            .signatureInputMissing, .signatureMissing, .labelWithoutSignature, .labelWithoutInput, .noSignature,
            .otherLabel, .unknownParameter, .messageAlgorithmNotAllowed, .derSignature, .messageSignatureLength,
        ])
}

/// The signature of a message under the policy's label, from its two fields (RFC 9421 section 4).
struct MessageSignature {
    /// The covered components and the parameters.
    let input: SignatureInput
    /// The signature.
    let bytes: [UInt8]

    /// Finds the signature in a message. Ignores other signatures, such as those of proxies.
    init(in message: HTTPMessageParts, _ signing: MessageSigning) throws(CheckFailure) {
        let inputs = try Self.read("Signature-Input", of: message, missing: .signatureInputMissing) {
            (value) throws(DecodeError) in try SignatureInputField(value)
        }
        let form: ByteForm = signing.quirks.contains(.signatureAsString) ? .byteSequenceOrString : .byteSequence
        let signatures = try Self.read("Signature", of: message, missing: .signatureMissing) {
            (value) throws(DecodeError) in try SignatureField(value, form: form)
        }
        let label = signing.signer.label
        switch (inputs[label], signatures[label]) {
        case (let input?, let bytes?): (self.input, self.bytes) = (input, bytes)
        case (.some, nil):
            throw CheckFailure(
                .labelWithoutSignature, "Signature-Input has the label \(label), and Signature has not")
        case (nil, .some):
            throw CheckFailure(.labelWithoutInput, "Signature has the label \(label), and Signature-Input has not")
        case (nil, nil): throw Self.absence(of: label, inputs.inputs.map(\.label))
        }
        try demandParameters(signing.signer)
        try demandLength(signing.signer)
    }

    private static func read<Field>(
        _ name: String, of message: HTTPMessageParts, missing code: CheckCode,
        _ body: (ArraySlice<UInt8>) throws(DecodeError) -> Field
    ) throws(CheckFailure) -> Field {
        guard let value = message.combinedValue(of: name) else {
            throw CheckFailure(code, "the request has no field \(name)")
        }
        do throws(DecodeError) { return try body(value[...]) } catch { throw CheckFailure(error.within(name)) }
    }

    private static func absence(of label: String, _ others: [String]) -> CheckFailure {
        guard !others.isEmpty else {
            return CheckFailure(.noSignature, "Signature-Input is empty: the message is not signed")
        }
        return CheckFailure(
            .otherLabel,
            "no signature has the label \(label), which the policy's signer uses; there are "
                + others.prefix(8).map(\.excerpt).joined(separator: ", "))
    }

    /// Demands the parameters of section 2.3. The algorithm is optional and must be the signer's.
    private func demandParameters(_ signer: MessageSigning.Signer) throws(CheckFailure) {
        for parameter in input.parameters {
            switch parameter.key {
            case "created", "expires", "nonce", "alg", "keyid", "tag": continue
            default:
                throw CheckFailure(
                    .unknownParameter, "the signature has the parameter \(parameter.key.excerpt), which is not known")
            }
        }
        guard let algorithm = input.algorithm, !algorithm.isByteEqual(to: signer.algorithm) else { return }
        throw CheckFailure(
            .messageAlgorithmNotAllowed,
            "the signature names alg \"\(algorithm.excerpt)\"; under the label \(signer.label) it is \(signer.algorithm)"
        )
    }

    private func demandLength(_ signer: MessageSigning.Signer) throws(CheckFailure) {
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
    fileprivate static let signatureInputMissing = CheckCode(
        "signature-input-missing",
        "The request has no field Signature-Input: the app did not sign it, or a proxy removed the field.")
    fileprivate static let signatureMissing = CheckCode(
        "signature-missing",
        "The request has no field Signature: the app did not sign it, or a proxy removed the field.")
    fileprivate static let labelWithoutSignature = CheckCode(
        "label-without-signature",
        "Signature-Input has the policy's label and Signature has not: a proxy changed one of the two fields.")
    fileprivate static let labelWithoutInput = CheckCode(
        "label-without-input",
        "Signature has the policy's label and Signature-Input has not: a proxy changed one of the two fields.")
    fileprivate static let noSignature = CheckCode(
        "no-signature", "Signature-Input is empty: the message is not signed.")
    fileprivate static let otherLabel = CheckCode(
        "other-label",
        "The message is signed under other labels only: compare `signer` in the policy with the app's set-up.")
    fileprivate static let unknownParameter = CheckCode(
        "unknown-parameter", "The signature has a parameter that RFC 9421 section 2.3 does not define.")
    fileprivate static let messageAlgorithmNotAllowed = CheckCode(
        "algorithm-not-allowed",
        "The signature names another algorithm than the one that belongs to the policy's `signer`.")
    fileprivate static let derSignature = CheckCode(
        "der-signature", "The client writes the ECDSA signature in DER, and RFC 9421 demands r and s of 32 bytes each.")
    fileprivate static let messageSignatureLength = CheckCode(
        "wrong-length",
        "The signature has another length than one of its algorithm: it was cut, or made with another algorithm.")
}
