import COpenSSL
import Crypto

/// A private key on a curve that swift-crypto does not have or that verifiers must refuse. Not constant-time: for test keys
/// only.
package struct CurveTestKey: Sendable {
    package enum Curve: String, Sendable {
        /// NIST P-224, `secp224r1`.
        case p224
        /// NIST P-521, `secp521r1`.
        case p521
        /// `secp256k1`.
        case secp256k1

        fileprivate var nid: Int32 {
            switch self {
            case .p224: NID_secp224r1
            case .p521: NID_secp521r1
            case .secp256k1: NID_secp256k1
            }
        }

        fileprivate var identifier: [UInt8] {
            switch self {
            case .p224: DERBuilder.objectIdentifier([1, 3, 132, 0, 33])
            case .p521: DERBuilder.objectIdentifier([1, 3, 132, 0, 35])
            case .secp256k1: DERBuilder.objectIdentifier([1, 3, 132, 0, 10])
            }
        }
    }

    private let curve: Curve
    private let group: CurveGroup
    private let scalar: [UInt8]
    /// The public point, uncompressed: 0x04, x, y (SEC 1 section 2.3.3).
    package let publicPoint: [UInt8]

    /// Derives the key of a seed and a label, always the same one. Anyone with the seed has the key.
    package init(_ curve: Curve, seed: String, label: String) {
        let group = CurveGroup(curve.nid)
        let order = group.order
        let wide = BigNumber(TestBytes(seed: seed)("\(curve.rawValue)/\(label)", count: order.count + 16))
        scalar = (wide % (BigNumber(order) - BigNumber([1])) + BigNumber([1])).bytes(order.count)
        publicPoint = group.point(scalar)
        self.group = group
        self.curve = curve
    }

    /// The SubjectPublicKeyInfo (RFC 5480).
    package var subjectPublicKeyInfo: [UInt8] {
        DERBuilder.sequence(
            DERBuilder.sequence(OID.ecPublicKey, curve.identifier), DERBuilder.bitString(publicPoint))
    }

    /// Signs the digest of `message`. Deterministic, as RFC 6979 but with P-521's nonces drawn from 528 bits.
    package func signature(over message: [UInt8], hash: TestKey.Hash) -> ECDSASignature {
        switch hash {
        case .sha1: sign(message, Insecure.SHA1.self)
        case .sha256: sign(message, SHA256.self)
        case .sha384: sign(message, SHA384.self)
        }
    }

    private func sign<Digest: HashFunction>(_ message: [UInt8], _ hash: Digest.Type) -> ECDSASignature {
        let (order, group) = (group.order, group)
        return DeterministicECDSA<Digest>.sign(message, key: scalar, order: order) { nonce in
            let number = BigNumber(nonce)
            guard (number % BigNumber(order)).bytes(nonce.count) == nonce, nonce.contains(where: { $0 != 0 }) else {
                return nil
            }
            let point = group.point(nonce)
            return Array(point.dropFirst().prefix(point.count / 2))
        }
    }
}

/// A named curve of OpenSSL.
@safe private final class CurveGroup: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer

    init(_ nid: Int32) {
        guard let handle = unsafe EC_GROUP_new_by_curve_name(nid) else { preconditionFailure("no such curve") }
        unsafe self.handle = handle
    }

    /// The order of the group, big-endian.
    var order: [UInt8] {
        guard let order = unsafe EC_GROUP_get0_order(handle) else { preconditionFailure("a curve without order") }
        let count = (Int(unsafe BN_num_bits(order)) + 7) / 8
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = Int(unsafe BN_bn2binpad(order, buffer.baseAddress, Int32(count)))
        }
    }

    /// The generator times a scalar, uncompressed.
    func point(_ scalar: [UInt8]) -> [UInt8] {
        guard let number = unsafe BN_bin2bn(scalar, Int32(scalar.count), nil), let point = unsafe EC_POINT_new(handle)
        else { preconditionFailure("out of memory") }
        defer {
            unsafe EC_POINT_free(point)
            unsafe BN_free(number)
        }
        let isDone = unsafe EC_POINT_mul(handle, point, number, nil, nil, nil)
        precondition(isDone == 1, "out of memory")
        let form = POINT_CONVERSION_UNCOMPRESSED
        let count = unsafe EC_POINT_point2oct(handle, point, form, nil, 0, nil)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = unsafe EC_POINT_point2oct(handle, point, form, buffer.baseAddress, count, nil)
        }
    }

    deinit {
        unsafe EC_GROUP_free(handle)
    }
}
