import Crypto

/// ECDSA with a nonce derived from the key and the message (RFC 6979), so that evidence can be minted again byte for
/// byte. swift-crypto's own signatures are random.
///
/// The arithmetic does not run in constant time: use it with test keys only.
enum DeterministicECDSA<Hash: HashFunction> {
    /// Signs a message.
    ///
    /// - Parameters:
    ///   - key: the private key, big-endian, as long as the order.
    ///   - order: the order of the group.
    ///   - abscissa: the x coordinate of the public point of a private key; nil for a number that is no private key.
    static func sign(
        _ message: [UInt8], key: [UInt8], order: [UInt8], abscissa: ([UInt8]) -> [UInt8]?
    ) -> ECDSASignature {
        let numbers = ModularNumbers(order)
        let digest = numbers.number(Array(Array(Hash.hash(data: message)).prefix(order.count)))
        var nonces = Nonces(key: key, digest: numbers.bytes(digest))
        while true {
            let nonce = nonces.next()
            guard let x = abscissa(nonce) else { continue }
            // SEC 1 section 4.1.3: r = x mod n, s = (digest + r * key) / nonce mod n. Zero has a probability of 2^-256.
            let r = numbers.number(x)
            let sum = numbers.sum(digest, numbers.product(r, numbers.number(key)))
            let s = numbers.product(sum, numbers.inverse(numbers.number(nonce)))
            return ECDSASignature(r: numbers.bytes(r), s: numbers.bytes(s))
        }
    }

    /// The candidates for a nonce (RFC 6979 section 3.2).
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

/// Arithmetic modulo an odd prime with its highest bit set. A number has its 64-bit words from the lowest on, and one more
/// word than the modulus needs, so that sums do not overflow.
private struct ModularNumbers {
    typealias Number = [UInt64]

    private let modulus: Number
    private let length: Int

    init(_ modulus: [UInt8]) {
        length = modulus.count
        self.modulus = Self.words(modulus) + [0]
    }

    private static func words(_ bytes: [UInt8]) -> Number {
        stride(from: bytes.count, to: 0, by: -8).map { end in
            bytes[max(0, end - 8)..<end].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Reduces a big-endian number that is at most as long as the modulus.
    func number(_ bytes: [UInt8]) -> Number {
        var number = Self.words(bytes)
        number += Number(repeating: 0, count: modulus.count - number.count)
        reduce(&number)
        return number
    }

    func bytes(_ number: Number) -> [UInt8] {
        let bytes = number.reversed().flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
        return Array(bytes.suffix(length))
    }

    func sum(_ left: Number, _ right: Number) -> Number {
        var sum = left
        Self.add(right, to: &sum)
        reduce(&sum)
        return sum
    }

    func product(_ left: Number, _ right: Number) -> Number {
        var product = Number(repeating: 0, count: modulus.count)
        for word in left.reversed() {
            for bit in (0..<64).reversed() {
                Self.double(&product)
                reduce(&product)
                guard word >> UInt64(bit) & 1 != 0 else { continue }
                Self.add(right, to: &product)
                reduce(&product)
            }
        }
        return product
    }

    /// The inverse of a number that is not zero, by the binary extended algorithm of Euclid.
    func inverse(_ number: Number) -> Number {
        var (left, right) = (number, modulus)
        var leftFactor = Number(repeating: 0, count: modulus.count)
        var rightFactor = leftFactor
        leftFactor[0] = 1
        while left.contains(where: { $0 != 0 }) {
            while left[0] & 1 == 0 {
                Self.halve(&left)
                if leftFactor[0] & 1 != 0 { Self.add(modulus, to: &leftFactor) }
                Self.halve(&leftFactor)
            }
            if Self.isLess(left, right) {
                swap(&left, &right)
                swap(&leftFactor, &rightFactor)
            }
            Self.subtract(right, from: &left)
            if Self.isLess(leftFactor, rightFactor) { Self.add(modulus, to: &leftFactor) }
            Self.subtract(rightFactor, from: &leftFactor)
        }
        return rightFactor
    }

    /// Subtracts the modulus from a number below twice the modulus, unless it is below the modulus.
    private func reduce(_ number: inout Number) {
        if !Self.isLess(number, modulus) { Self.subtract(modulus, from: &number) }
    }

    private static func isLess(_ left: Number, _ right: Number) -> Bool {
        for index in left.indices.reversed() where left[index] != right[index] { return left[index] < right[index] }
        return false
    }

    private static func add(_ right: Number, to left: inout Number) {
        var carry: UInt64 = 0
        for index in left.indices {
            let (first, isOver) = left[index].addingReportingOverflow(right[index])
            let (second, isStillOver) = first.addingReportingOverflow(carry)
            left[index] = second
            carry = isOver || isStillOver ? 1 : 0
        }
    }

    private static func subtract(_ right: Number, from left: inout Number) {
        var borrow: UInt64 = 0
        for index in left.indices {
            let (first, isBelow) = left[index].subtractingReportingOverflow(right[index])
            let (second, isStillBelow) = first.subtractingReportingOverflow(borrow)
            left[index] = second
            borrow = isBelow || isStillBelow ? 1 : 0
        }
    }

    private static func double(_ number: inout Number) {
        for index in number.indices.reversed() {
            number[index] = number[index] << 1 | (index > 0 ? number[index - 1] >> 63 : 0)
        }
    }

    private static func halve(_ number: inout Number) {
        for index in number.indices {
            number[index] = number[index] >> 1 | (index + 1 < number.count ? number[index + 1] << 63 : 0)
        }
    }
}
