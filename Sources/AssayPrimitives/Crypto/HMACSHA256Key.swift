package import AssayCore
import Synchronization

/// A key of HMAC-SHA-256 (RFC 2104) that authenticates many messages: what depends on the key alone is computed once.
///
/// Safe to use from many threads at once. Beside the key's own bytes, OpenSSL's contexts keep what was derived from it;
/// both are wiped when the key is released, and so is what a message leaves behind in a context that was made for it. The
/// secret that the key was made of is still its owner's to wipe.
package final class HMACSHA256Key: Sendable {
    /// How many bytes a code has.
    package static let codeLength = 32

    /// Only ever duplicated.
    private let template: MACContext
    /// Starting a context anew costs half of what duplicating one does, but only one thread can use it at a time.
    private let reused: Mutex<MACContext>

    /// Prepares a key, which may have any length.
    package init(_ secret: SecretBytes) {
        template = MACContext(key: secret)
        reused = Mutex(template.duplicate())
    }

    /// The authentication code of the concatenation of some parts, 32 bytes.
    ///
    /// Compare codes with ``isValid(_:for:)`` or ``ConstantTime/equals(_:_:)`` only.
    package func code(for parts: ArraySlice<UInt8>...) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.codeLength) { buffer, count in
            unsafe authenticate(parts, into: UnsafeMutableRawBufferPointer(buffer))
            count = Self.codeLength
        }
    }

    /// Whether a code is that of the concatenation of some parts. How long it takes tells nothing but lengths.
    package func isValid(_ code: [UInt8], for parts: ArraySlice<UInt8>...) -> Bool {
        isValid(code, for: parts)
    }

    /// Whether a code is that of a message. How long it takes tells nothing but lengths.
    package func isValid(_ code: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        isValid(code, for: CollectionOfOne(message))
    }

    private func isValid(_ code: [UInt8], for parts: some Collection<ArraySlice<UInt8>>) -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.codeLength, alignment: 1) { expected in
            unsafe authenticate(parts, into: expected)
            return unsafe code.withUnsafeBytes { unsafe ConstantTime.equals($0, UnsafeRawBufferPointer(expected)) }
        }
    }

    /// Writes a code.
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
