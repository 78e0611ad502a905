import COpenSSL

/// An arbitrary-precision integer, computed by OpenSSL. Not constant-time: for test keys only.
@safe package final class BigNumber {
    private let handle: OpaquePointer

    private init(takingOwnershipOf handle: OpaquePointer?) {
        guard let handle = unsafe handle else { preconditionFailure("out of memory") }
        unsafe self.handle = handle
    }

    package convenience init(_ bytes: [UInt8]) {
        unsafe self.init(takingOwnershipOf: BN_bin2bn(bytes, Int32(bytes.count), nil))
    }

    /// The magnitude, big-endian, padded with leading zeros to `count` bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        let count = max(count, (Int(unsafe BN_num_bits(handle)) + 7) / 8)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = Int(unsafe BN_bn2binpad(handle, buffer.baseAddress, Int32(count)))
        }
    }

    package static func + (left: BigNumber, right: BigNumber) -> BigNumber {
        unsafe computed { result, _ in unsafe BN_add(result, left.handle, right.handle) }
    }

    static func - (left: BigNumber, right: BigNumber) -> BigNumber {
        unsafe computed { result, _ in unsafe BN_sub(result, left.handle, right.handle) }
    }

    static func * (left: BigNumber, right: BigNumber) -> BigNumber {
        unsafe computed { unsafe BN_mul($0, left.handle, right.handle, $1) }
    }

    /// The remainder, from 0 to modulus - 1.
    static func % (number: BigNumber, modulus: BigNumber) -> BigNumber {
        unsafe computed { unsafe BN_nnmod($0, number.handle, modulus.handle, $1) }
    }

    func power(_ exponent: BigNumber, modulo modulus: BigNumber) -> BigNumber {
        unsafe Self.computed { unsafe BN_mod_exp($0, handle, exponent.handle, modulus.handle, $1) }
    }

    /// True for a prime, except with a probability below 2^-128.
    var isPrime: Bool { unsafe BN_check_prime(handle, nil, nil) == 1 }

    /// The decimal digits.
    package var decimal: String {
        guard let text = unsafe BN_bn2dec(handle) else { preconditionFailure("out of memory") }
        defer { unsafe assay_free(text) }
        return unsafe String(cString: text)
    }

    /// The inverse. The number and the modulus must have no common factor.
    func inverse(modulo modulus: BigNumber) -> BigNumber {
        unsafe Self.computed { unsafe BN_mod_inverse($0, handle, modulus.handle, $1) == nil ? 0 : 1 }
    }

    private static func computed(_ compute: (_ result: OpaquePointer, _ scratch: OpaquePointer) -> Int32) -> BigNumber {
        guard let result = unsafe BN_new(), let scratch = unsafe BN_CTX_new() else {
            preconditionFailure("out of memory")
        }
        defer { unsafe BN_CTX_free(scratch) }
        let isDone = unsafe compute(result, scratch)
        precondition(isDone == 1, "out of memory")
        return unsafe BigNumber(takingOwnershipOf: result)
    }

    deinit {
        unsafe BN_free(handle)
    }
}
