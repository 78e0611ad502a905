package import AssayCore

/// A signature to write on a request (RFC 9421). The initial values are genuine; change any part before signing.
package struct RequestSigning: Sendable {
    package var label: String
    /// The covered components; nil for those that the blueprint of the request names.
    package var components: [SignatureComponent]?
    package var parameters: [StructuredParameter]
    package var rules = SignatureBaseRules()
    /// A last change to the signature base, before signing.
    package var changeBase: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A last change to the value of the signature.
    package var changeSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// A change to the field `Signature-Input`, after signing.
    package var changeInputField: @Sendable (String) -> String = { $0 }
    /// A change to the field `Signature`.
    package var changeSignatureField: @Sendable (String) -> String = { $0 }

    package init(label: String, parameters: [StructuredParameter]) {
        self.label = label
        self.parameters = parameters
    }

    /// A parameter; nil if absent. Setting nil removes it.
    package subscript(parameter name: String) -> StructuredBareItem? {
        get { parameters.first { $0.key == name }?.value }
        set {
            let index = parameters.firstIndex { $0.key == name }
            switch (index, newValue) {
            case (let index?, let value?): parameters[index] = StructuredParameter(name, value)
            case (let index?, nil): parameters.remove(at: index)
            case (nil, let value?): parameters.append(StructuredParameter(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Signs a request.
    ///
    /// - Parameters:
    ///   - standard: the components to cover unless the signing names others.
    ///   - value: makes the value of the signature from the base.
    /// - Returns: the two fields, and the base.
    package func sign(
        _ parts: HTTPMessageParts, covering standard: [String],
        _ value: ([UInt8]) throws(MintingError) -> [UInt8]
    ) throws(MintingError) -> (fields: [HTTPMessageParts.Field], base: [UInt8]) {
        let components = components ?? standard.map { SignatureComponent($0) }
        let input = try Self.doing("the parameters cannot be written") { () throws in
            try SignatureInput(label: label, components: components, parameters: parameters)
        }
        let base = try Self.doing("there is no signature base") { () throws in
            changeBase(try SignatureBase.build(for: input, of: parts, rules: rules))
        }
        let signature = changeSignature(try value(base))
        let (inputField, signatureField) = try Self.doing("the fields cannot be written") { () throws in
            (
                try SignatureInputField([input]).write(),
                try SignatureField([SignatureField.Entry(label, signature)]).write()
            )
        }
        let fields = [
            HTTPMessageParts.Field("Signature-Input", changeInputField(String(decoding: inputField, as: UTF8.self))),
            HTTPMessageParts.Field("Signature", changeSignatureField(String(decoding: signatureField, as: UTF8.self))),
        ]
        return (fields, base)
    }

    /// The field `Content-Digest` of a body; empty without a body.
    package static func contentDigest(
        of body: [UInt8], _ algorithms: [ContentDigest.Algorithm]
    ) throws(MintingError) -> String {
        guard !body.isEmpty else { return "" }
        let entries = ContentDigest(of: body[...], algorithms).values.map {
            StructuredDictionary.Entry($0.algorithm.rawValue, .item(StructuredItem(.byteSequence($0.digest))))
        }
        return try doing("the digests cannot be written") { () throws in
            String(decoding: try StructuredFieldWriter.write(StructuredDictionary(entries)), as: UTF8.self)
        }
    }

    private static func doing<Result>(_ what: String, _ body: () throws -> Result) throws(MintingError) -> Result {
        do {
            return try body()
        } catch {
            throw MintingError("\(what): \(error)")
        }
    }
}
