extension FuzzTarget {
    /// Decoders of bytes: for every input they return a value or an error.
    static let decoders: [FuzzTarget] = [
        cbor, der, ber, certificate, certificatePath, issuedCertificate, signedData, authenticatorData, receiptPayload,
        keyDescription,
        provisioningInfo,
        jose, keySet, json,
        jsonPointer, base64, pem, keyText, structuredField, signatureFields, signatureBase, time, text, growth,
    ]
}
