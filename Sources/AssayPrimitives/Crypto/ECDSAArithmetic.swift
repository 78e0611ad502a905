internal import COpenSSL

/// The arithmetic of an ECDSA signature whose nonce is given (SEC 1 section 4.1.3): for test evidence whose bytes are the
/// same every time.
///
/// OpenSSL signs with nonces that are not random from 3.2 on only, and swift-crypto never does. Whoever signs anything that
/// is not for tests lets the library choose the nonce: here a nonce that is used twice gives the key away.
package enum ECDSAArithmetic {
    /// A group that OpenSSL knows.
    package enum Group: Sendable {
        /// NIST P-256.
        case p256
        /// NIST P-384.
        case p384

        fileprivate var handle: GroupHandle { self == .p256 ? .p256 : .p384 }
        fileprivate var length: Int { self == .p256 ? 32 : 48 }
    }

    /// Signs a digest.
    ///
    /// - Parameters:
    ///   - digest: of which the leftmost bits count, as many as the order has.
    ///   - scalar: the private key, big-endian.
    ///   - nonce: between 1 and the order, big-endian.
    /// - Returns: r and s, big-endian and of the length of the order; nil when the nonce is not in its range, or gives a
    ///   number that is zero.
    package static func sign(
        digest: [UInt8], scalar: [UInt8], nonce: [UInt8], in group: Group
    ) -> (r: [UInt8], s: [UInt8])? {
        let curve = group.handle
        guard let context = NumberContext(), let key = Number(scalar), let nonce = Number(nonce),
            let message = Number(Array(digest.prefix(group.length))), let order = curve.order,
            !nonce.isZero, nonce.isLess(than: order), let r = curve.abscissa(of: nonce, context),
            let reduced = r.remainder(by: order, context), !reduced.isZero,
            let product = reduced.times(key, modulo: order, context),
            let sum = product.plus(message, modulo: order, context),
            let inverse = nonce.inverse(modulo: order, context),
            let s = sum.times(inverse, modulo: order, context), !s.isZero,
            let first = reduced.bytes(count: group.length), let second = s.bytes(count: group.length)
        else { return nil }
        return (first, second)
    }
}

/// Owns a BN_CTX.
@safe private final class NumberContext {
    fileprivate let pointer: OpaquePointer

    init?() {
        guard let pointer = unsafe BN_CTX_new() else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe BN_CTX_free(pointer)
    }
}

/// Owns a BIGNUM.
@safe private final class Number {
    fileprivate let pointer: OpaquePointer

    init?() {
        guard let pointer = unsafe BN_new() else { return nil }
        unsafe self.pointer = pointer
    }

    init?(_ bytes: [UInt8]) {
        guard let pointer = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe BN_clear_free(pointer)
    }

    var isZero: Bool { unsafe BN_is_zero(pointer) == 1 }

    func isLess(than other: Number) -> Bool { unsafe BN_cmp(pointer, other.pointer) < 0 }

    func remainder(by modulus: Number, _ context: NumberContext) -> Number? {
        guard let result = Number() else { return nil }
        return unsafe BN_nnmod(result.pointer, pointer, modulus.pointer, context.pointer) == 1 ? result : nil
    }

    func times(_ other: Number, modulo modulus: Number, _ context: NumberContext) -> Number? {
        guard let result = Number() else { return nil }
        let done = unsafe BN_mod_mul(result.pointer, pointer, other.pointer, modulus.pointer, context.pointer)
        return done == 1 ? result : nil
    }

    func plus(_ other: Number, modulo modulus: Number, _ context: NumberContext) -> Number? {
        guard let result = Number() else { return nil }
        let done = unsafe BN_mod_add(result.pointer, pointer, other.pointer, modulus.pointer, context.pointer)
        return done == 1 ? result : nil
    }

    func inverse(modulo modulus: Number, _ context: NumberContext) -> Number? {
        guard let result = Number() else { return nil }
        return unsafe BN_mod_inverse(result.pointer, pointer, modulus.pointer, context.pointer) == nil ? nil : result
    }

    func bytes(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe BN_bn2binpad(pointer, &bytes, Int32(count)) == Int32(count) ? bytes : nil
    }
}

/// Owns an EC_GROUP, which is never changed and so may be used by several threads.
@safe private final class GroupHandle: @unchecked Sendable {
    static let p256 = GroupHandle(NID_X9_62_prime256v1)
    static let p384 = GroupHandle(NID_secp384r1)

    private let pointer: OpaquePointer

    private init(_ identifier: Int32) {
        guard let pointer = unsafe EC_GROUP_new_by_curve_name(identifier) else {
            preconditionFailure("OpenSSL offers no curve \(identifier): check how it was built")
        }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EC_GROUP_free(pointer)
    }

    var order: Number? {
        guard let result = Number() else { return nil }
        return unsafe EC_GROUP_get_order(pointer, result.pointer, nil) == 1 ? result : nil
    }

    /// The x-coordinate of a multiple of the generator.
    func abscissa(of scalar: Number, _ context: NumberContext) -> Number? {
        guard let result = Number(), let point = unsafe EC_POINT_new(pointer) else { return nil }
        defer { unsafe EC_POINT_clear_free(point) }
        guard unsafe EC_POINT_mul(pointer, point, scalar.pointer, nil, nil, context.pointer) == 1,
            unsafe EC_POINT_get_affine_coordinates(pointer, point, result.pointer, nil, context.pointer) == 1
        else { return nil }
        return result
    }
}
