extension FuzzTarget {
    /// Ours against implementations that others wrote: what both say must be the same, but for what each target declares.
    static let differential: [FuzzTarget] = [
        cborAndLibcbor, derAndOpenSSL, certificateAndOpenSSL, signedDataAndOpenSSL, jsonAndFoundation,
        structuredFieldAndPeer, signatureBaseAndPeer,
    ]
}
