extension FuzzTarget {
    /// Assay against independent implementations: both must give the same result, except where a target declares a
    /// difference.
    static let differential: [FuzzTarget] = [
        cborAndLibcbor, derAndOpenSSL, certificateAndOpenSSL, signedDataAndOpenSSL, jsonAndFoundation,
        structuredFieldAndPeer, signatureBaseAndPeer,
    ]
}
