import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

/// The signature of a message under the policy's label, as its two fields have it (RFC 9421 section 4).
struct MessageSignature {
    /// What it covers and says of itself.
    let input: SignatureInput
    /// The signature.
    let bytes: [UInt8]

    /// Finds it in a message. Other signatures beside it, such as those of proxies, are left alone.
    init(in message: HTTPMessageParts, _ signing: MessageSigning) throws(CheckFailure) {
        let inputs = try Self.read("Signature-Input", of: message, missing: "signature-input-missing") {
            (value) throws(DecodeError) in try SignatureInputField(value)
        }
        let form: ByteForm = signing.quirks.contains(.signatureAsString) ? .byteSequenceOrString : .byteSequence
        let signatures = try Self.read("Signature", of: message, missing: "signature-missing") {
            (value) throws(DecodeError) in try SignatureField(value, form: form)
        }
        let label = signing.signer.label
        switch (inputs[label], signatures[label]) {
        case (let input?, let bytes?): (self.input, self.bytes) = (input, bytes)
        case (.some, nil):
            throw CheckFailure(
                "label-without-signature", "Signature-Input has the label \(label), and Signature has not")
        case (nil, .some):
            throw CheckFailure("label-without-input", "Signature has the label \(label), and Signature-Input has not")
        case (nil, nil): throw Self.absence(of: label, inputs.inputs.map(\.label))
        }
        try demandParameters(signing.signer)
        try demandLength(signing.signer)
    }

    private static func read<Field>(
        _ name: String, of message: HTTPMessageParts, missing code: String,
        _ body: (ArraySlice<UInt8>) throws(DecodeError) -> Field
    ) throws(CheckFailure) -> Field {
        guard let value = message.combinedValue(of: name) else {
            throw CheckFailure(code, "the request has no field \(name)")
        }
        do throws(DecodeError) { return try body(value[...]) } catch { throw CheckFailure(error.within(name)) }
    }

    private static func absence(of label: String, _ others: [String]) -> CheckFailure {
        guard !others.isEmpty else {
            return CheckFailure("no-signature", "Signature-Input is empty: the message is not signed")
        }
        return CheckFailure(
            "other-label",
            "no signature has the label \(label), which the policy's signer uses; there are "
                + others.prefix(8).map(\.excerpt).joined(separator: ", "))
    }

    /// The parameters are those of section 2.3, and the algorithm, which a sender need not name, is the signer's.
    private func demandParameters(_ signer: MessageSigning.Signer) throws(CheckFailure) {
        for parameter in input.parameters {
            switch parameter.key {
            case "created", "expires", "nonce", "alg", "keyid", "tag": continue
            default:
                throw CheckFailure(
                    "unknown-parameter", "the signature has the parameter \(parameter.key.excerpt), which is not known")
            }
        }
        guard let algorithm = input.algorithm, !algorithm.isByteEqual(to: signer.algorithm) else { return }
        throw CheckFailure(
            "algorithm-not-allowed",
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
                "der-signature",
                "the signature is written in DER; \(signer.algorithm) is r and s of 32 bytes each, one after the other")
        }
        throw CheckFailure(
            "wrong-length", "the signature has \(found) bytes; one of \(signer.algorithm) has \(expected)")
    }
}
