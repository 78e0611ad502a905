internal import Synchronization

/// A cache of parsed certificates of verified paths, which saves parsing the same bytes again.
final class KnownCertificates: Sendable {
    private let byLength = Mutex<[Int: [Certificate]]>([:])
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The cached certificate with exactly these bytes, or nil.
    subscript(der: ArraySlice<UInt8>) -> Certificate? {
        let candidates = byLength.withLock { $0[der.count] ?? [] }
        return candidates.first { $0.der.isByteEqual(to: der) }
    }

    /// Adds certificates of a verified path. A full cache evicts nothing: shared certificates usually arrive first.
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
    /// Returns the cached certificate with exactly these bytes, or else parses them.
    /// - Throws: ``DecodeError`` at an index of `der`.
    package func certificate(der: ArraySlice<UInt8>) throws(DecodeError) -> Certificate {
        if let known = known[der] { return known }
        return try Certificate(der: der)
    }
}
