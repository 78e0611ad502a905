import Crypto

/// Deterministic ECDSA (RFC 6979), so that minted evidence is reproducible. The signatures of swift-crypto and of
/// OpenSSL before 3.2 are random.
enum DeterministicECDSA<Hash: HashFunction> {
    /// Signs a message.
    ///
    /// - Parameters:
    ///   - key: The private key, big-endian, as long as the order.
    ///   - abscissa: Computes the x coordinate of a private key's public point; nil for an invalid private key.
    static func sign(
        _ message: [UInt8], key: [UInt8], order: [UInt8], abscissa: ([UInt8]) -> [UInt8]?
    ) -> ECDSASignature {
        let (modulus, length) = (BigNumber(order), order.count)
        let digest = BigNumber(Array(Array(Hash.hash(data: message)).prefix(length))) % modulus
        var nonces = Nonces(key: key, digest: digest.bytes(length))
        while true {
            let nonce = nonces.next()
            guard let x = abscissa(nonce) else { continue }
            // SEC 1 section 4.1.3. No check for zero: its probability is 2^-256.
            let r = BigNumber(x) % modulus
            let s = (digest + r * BigNumber(key)) * BigNumber(nonce).inverse(modulo: modulus) % modulus
            return ECDSASignature(r: r.bytes(length), s: s.bytes(length))
        }
    }

    /// The nonce candidates (RFC 6979 section 3.2).
    private struct Nonces {
        private let length: Int
        private var key = [UInt8](repeating: 0, count: Hash.Digest.byteCount)
        private var value = [UInt8](repeating: 1, count: Hash.Digest.byteCount)
        private var isFirst = true

        init(key secret: [UInt8], digest: [UInt8]) {
            length = secret.count
            update(0, secret + digest)
            update(1, secret + digest)
        }

        private mutating func update(_ separator: UInt8, _ data: [UInt8]) {
            key = mac(value + [separator] + data)
            value = mac(value)
        }

        private func mac(_ data: [UInt8]) -> [UInt8] {
            Array(HMAC<Hash>.authenticationCode(for: data, using: SymmetricKey(data: key)))
        }

        mutating func next() -> [UInt8] {
            if !isFirst { update(0, []) }
            isFirst = false
            var bytes: [UInt8] = []
            while bytes.count < length {
                value = mac(value)
                bytes += value
            }
            return Array(bytes.prefix(length))
        }
    }
}
