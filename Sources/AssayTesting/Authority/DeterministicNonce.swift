import Crypto

/// The nonces of a signature that is the same every time (RFC 6979 section 3.2), the first one first.
struct DeterministicNonce<Hash: HashFunction> {
    private let length: Int
    private var key: [UInt8]
    private var value: [UInt8]
    private var isFirst = true

    /// - Parameters:
    ///   - digest: by the hash function of the signature.
    ///   - scalar: the private key, of the length of the order.
    ///   - order: that of the group.
    init(digest: [UInt8], scalar: [UInt8], order: [UInt8]) {
        length = order.count
        key = [UInt8](repeating: 0, count: Hash.Digest.byteCount)
        value = [UInt8](repeating: 1, count: Hash.Digest.byteCount)
        // The digest as a number below the order: a longer one is cut, and none is as great as twice the order.
        var number = Array(digest.prefix(length))
        number = [UInt8](repeating: 0, count: length - number.count) + number
        if !number.lexicographicallyPrecedes(order) { number = ECDSASignature.subtract(order, from: number) }
        for octet in [0, 1] as [UInt8] { advance([octet] + scalar + number) }
    }

    /// The next candidate, big-endian and of the length of the order, which need not be in the range of nonces.
    mutating func next() -> [UInt8] {
        if !isFirst { advance([0]) }
        isFirst = false
        var candidate: [UInt8] = []
        while candidate.count < length {
            value = authenticated(value)
            candidate += value
        }
        return Array(candidate.prefix(length))
    }

    private mutating func advance(_ message: [UInt8]) {
        key = authenticated(value + message)
        value = authenticated(value)
    }

    private func authenticated(_ message: [UInt8]) -> [UInt8] {
        Array(HMAC<Hash>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}
