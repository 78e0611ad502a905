import Synchronization

/// An HMAC-SHA-256 key (RFC 2104) for many messages, with precomputed key state. Thread-safe. Releasing it wipes the
/// key and all state derived from it. The caller must wipe the secret it passed.
package final class HMACSHA256Key: Sendable {
    /// The length of a code in bytes.
    package static let codeLength = 32

    /// Never updated, only duplicated.
    private let template: MACContext
    /// Restarting a context is cheaper than duplicating one, but only one thread can use it at a time.
    private let reused: Mutex<MACContext>

    /// Creates a key of any length.
    package init(_ secret: SecretBytes) {
        template = MACContext(key: secret)
        reused = Mutex(template.duplicate())
    }

    /// The 32-byte code of the concatenation of the parts. Compare codes only in constant time: ``isValid(_:for:)``.
    package func code(for parts: ArraySlice<UInt8>...) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.codeLength) { buffer, count in
            unsafe authenticate(parts, into: UnsafeMutableRawBufferPointer(buffer))
            count = Self.codeLength
        }
    }

    /// Whether a code is correct for the concatenation of the parts. The duration depends only on lengths.
    package func isValid(_ code: [UInt8], for parts: ArraySlice<UInt8>...) -> Bool {
        isValid(code, for: parts)
    }

    /// Whether a code is correct for a message. The duration depends only on lengths.
    package func isValid(_ code: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        isValid(code, for: CollectionOfOne(message))
    }

    private func isValid(_ code: [UInt8], for parts: some Collection<ArraySlice<UInt8>>) -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.codeLength, alignment: 1) { expected in
            unsafe authenticate(parts, into: expected)
            return unsafe code.withUnsafeBytes { unsafe ConstantTime.equals($0, UnsafeRawBufferPointer(expected)) }
        }
    }

    private func authenticate(
        _ parts: some Collection<ArraySlice<UInt8>>, into code: UnsafeMutableRawBufferPointer
    ) {
        let isDone: Void? = reused.withLockIfAvailable { context in
            context.restart()
            unsafe context.authenticate(parts, into: code)
        }
        guard isDone == nil else { return }
        unsafe template.duplicate().authenticate(parts, into: code)
    }
}
