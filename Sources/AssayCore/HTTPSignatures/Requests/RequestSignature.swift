import AssayPrimitives

/// The signature of a request under one label, from its two fields (RFC 9421 section 4).
package struct RequestSignature: Sendable {
    /// The codes of ``init(label:in:form:)``.
    package static let codes: [CheckCode] =
        CheckCode.ofDecoding + [
            .signatureInputMissing, .signatureMissing, .labelWithoutSignature, .labelWithoutInput, .noSignature,
            .otherLabel, .unknownParameter,
        ]

    /// The covered components and the parameters.
    package let input: SignatureInput
    package let bytes: [UInt8]

    /// Finds the signature. Ignores signatures with other labels, such as those of proxies. Refuses parameters that section 2.3
    /// does not define.
    package init(
        label: String, in message: HTTPMessageParts, form: ByteForm = .byteSequence
    ) throws(CheckFailure) {
        let inputs = try Self.read("Signature-Input", of: message, missing: .signatureInputMissing) {
            (value) throws(DecodeError) in try SignatureInputField(value)
        }
        let signatures = try Self.read("Signature", of: message, missing: .signatureMissing) {
            (value) throws(DecodeError) in try SignatureField(value, form: form)
        }
        switch (inputs[label], signatures[label]) {
        case (let input?, let bytes?): (self.input, self.bytes) = (input, bytes)
        case (.some, nil):
            throw CheckFailure(
                .labelWithoutSignature, "Signature-Input has the label \(label), and Signature has not")
        case (nil, .some):
            throw CheckFailure(.labelWithoutInput, "Signature has the label \(label), and Signature-Input has not")
        case (nil, nil): throw Self.absence(of: label, inputs.inputs.map(\.label))
        }
        for parameter in input.parameters {
            switch parameter.key {
            case "created", "expires", "nonce", "alg", "keyid", "tag": continue
            default:
                throw CheckFailure(
                    .unknownParameter, "the signature has the parameter \(parameter.key.excerpt), which is not known")
            }
        }
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
            "no signature has the policy's label, \(label); there are "
                + others.prefix(8).map(\.excerpt).joined(separator: ", "))
    }
}

extension SignedRequest {
    /// The parts that a signature can cover.
    package var parts: HTTPMessageParts {
        HTTPMessageParts(
            method: method, targetURI: targetURI, fields: fields.map { HTTPMessageParts.Field($0.name, $0.value) })
    }
}

extension MessageFacts {
    /// The facts about a signature, with the digests that it covers.
    package init(_ input: SignatureInput, _ digests: [AssayCore.ContentDigest.Value]) {
        self.init(
            label: input.label, components: input.components.map { $0.parameters.isEmpty ? $0.name : $0.text },
            created: input.created, expires: input.expires,
            contentDigests: digests.map {
                MessageFacts.ContentDigest(algorithm: $0.algorithm.rawValue, value: $0.digest)
            })
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
        "The message is signed under other labels only: compare the label in the policy (Approov: `signer`) with the app's "
            + "set-up.")
    fileprivate static let unknownParameter = CheckCode(
        "unknown-parameter", "The signature has a parameter that RFC 9421 section 2.3 does not define.")
}
