package import AssayCore
internal import Synchronization

/// Certificates of verified paths that everyone presents, so that the same bytes need not be parsed again.
///
/// Parsing one costs about a tenth of a P-256 verification, and evidence carries up to four of them besides the leaf.
final class KnownCertificates: Sendable {
    private let byLength = Mutex<[Int: [Certificate]]>([:])
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The certificate with exactly these bytes, when it is known.
    subscript(der: ArraySlice<UInt8>) -> Certificate? {
        let candidates = byLength.withLock { $0[der.count] ?? [] }
        return candidates.first { $0.der.isByteEqual(to: der) }
    }

    /// Adds certificates of a verified path. When it is full, nothing is added: what everyone presents comes first.
    func insert(_ certificates: [Certificate]) {
        byLength.withLock { byLength in
            for certificate in certificates {
                let known = byLength[certificate.der.count] ?? []
                guard !known.contains(certificate), byLength.values.reduce(0, { $0 + $1.count }) < capacity else {
                    continue
                }
                byLength[certificate.der.count] = known + [certificate]
            }
        }
    }
}

extension CertificatePathValidator {
    /// Parses a certificate, or hands out the one of a verified path with exactly these bytes.
    ///
    /// - Parameter der: the certificate. Errors name the byte in it.
    /// - Throws: ``DecodeError`` when the bytes are no certificate; see `Certificate`.
    package func certificate(der: ArraySlice<UInt8>) throws(DecodeError) -> Certificate {
        if let known = known[der] { return known }
        return try Certificate(der: der)
    }
}
