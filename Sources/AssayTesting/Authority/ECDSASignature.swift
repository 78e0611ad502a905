/// An ECDSA signature as two numbers, for every encoding that a verifier must accept or reject.
package struct ECDSASignature: Sendable, Equatable {
    /// The order of the P-256 group (SEC 2 section 2.4.2), 32 bytes.
    package static let p256Order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// The order of the P-384 group (SEC 2 section 2.5.1), 48 bytes.
    static let p384Order: [UInt8] =
        [UInt8](repeating: 0xFF, count: 24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2,
            0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]

    /// r, big-endian, padded with leading zeros.
    package var r: [UInt8]
    /// s, big-endian, padded with leading zeros.
    package var s: [UInt8]

    /// Creates a signature from any two numbers.
    package init(r: [UInt8], s: [UInt8]) {
        self.r = r
        self.s = s
    }

    /// SEQUENCE {INTEGER r, INTEGER s}, in DER (RFC 3279 section 2.2.3).
    package var der: [UInt8] {
        DERBuilder.sequence(DERBuilder.integer(magnitude: r), DERBuilder.integer(magnitude: s))
    }

    /// r followed by s (IEEE P1363). App Attest does not use this encoding.
    package var concatenated: [UInt8] { r + s }

    /// True if s exceeds half the order of P-256, as in about half of all genuine assertions.
    package var isHighS: Bool { negated.s.lexicographicallyPrecedes(s) }

    /// The P-256 signature of the same message with the greater of s and n - s.
    package var withHighS: ECDSASignature { isHighS ? self : negated }

    /// The P-256 signature of the same message with the smaller of s and n - s.
    package var withLowS: ECDSASignature { isHighS ? negated : self }

    private var negated: ECDSASignature {
        ECDSASignature(r: r, s: (BigNumber(Self.p256Order) - BigNumber(s)).bytes(s.count))
    }
}
