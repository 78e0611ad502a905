import AssayPrimitives
import AssayTesting

/// ECDSA signatures on P-256 at the cost of an addition: a signature costs less than its digest.
///
/// The per-signature secret k is 1 (SEC 1 section 4.1.3). So the point R is the generator, r is constant, and s = z + r
/// * d mod n. Such a signature discloses the private key, which is irrelevant for fuzzing.
struct FixedNonceSigner: Sendable {
    /// The same key, for its public half.
    let key: TestKey
    /// The private key, 32 bytes.
    let scalar: [UInt8]
    private let product: Scalar

    /// The x coordinate of the generator (SEC 2 section 2.4.2), big-endian.
    private static let generatorX: [UInt8] = [
        0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
        0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
    ]

    /// Derives a key from a label.
    init(_ label: String) throws(MintingError) {
        // Always below the order of the group, and never zero.
        scalar = [0x7F] + Digest.sha256(Array(label.utf8)).dropFirst()
        key = try TestKey(.p256, scalar: scalar)
        product = Scalar(FixedNonceSigner.generatorX).times(Scalar(scalar))
    }

    /// Signs the SHA-256 digest of a message.
    func signature(over message: [UInt8]) -> ECDSASignature {
        ECDSASignature(
            r: FixedNonceSigner.generatorX, s: Scalar(Digest.sha256(message)).plus(product).bytes)
    }
}

/// A number below the order of P-256, in words from the lowest to the highest.
private struct Scalar: Sendable {
    private var words: [UInt64]

    private static let order = Scalar(unreduced: ECDSASignature.p256Order)

    private init(unreduced bytes: [UInt8]) {
        words = (0..<4).map { word in
            bytes[(24 - word * 8)..<(32 - word * 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Reads 32 bytes, big-endian, and subtracts the order if they are not below it.
    init(_ bytes: [UInt8]) {
        self.init(unreduced: bytes)
        if !isBelowOrder { subtractOrder() }
    }

    var bytes: [UInt8] {
        words.reversed().flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - $0 * 8)) } }
    }

    private var isBelowOrder: Bool { words.reversed().lexicographicallyPrecedes(Scalar.order.words.reversed()) }

    private mutating func subtractOrder() {
        var borrow = false
        for index in 0..<4 {
            let (first, isBelow) = words[index].subtractingReportingOverflow(Scalar.order.words[index])
            let (second, isStillBelow) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            (words[index], borrow) = (second, isBelow || isStillBelow)
        }
    }

    func plus(_ other: Scalar) -> Scalar {
        var sum = self
        var carry = false
        for index in 0..<4 {
            let (first, isOver) = words[index].addingReportingOverflow(other.words[index])
            let (second, isStillOver) = first.addingReportingOverflow(carry ? 1 : 0)
            (sum.words[index], carry) = (second, isOver || isStillOver)
        }
        if carry || !sum.isBelowOrder { sum.subtractOrder() }
        return sum
    }

    /// Multiplies by doubling and adding, bit by bit.
    func times(_ other: Scalar) -> Scalar {
        var product = Scalar(unreduced: [UInt8](repeating: 0, count: 32))
        for byte in bytes {
            for bit in (0..<8).reversed() {
                product = product.plus(product)
                if byte >> UInt8(bit) & 1 != 0 { product = product.plus(other) }
            }
        }
        return product
    }
}
