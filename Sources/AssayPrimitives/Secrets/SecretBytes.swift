#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Secret bytes that are wiped when the last reference is released. No description contains them.
///
/// A caller of ``withUnsafeBytes(_:)`` that copies the bytes must wipe the copy. The operating system may still write
/// the memory to swap space or to a core dump.
@safe public final class SecretBytes: Sendable {
    // Only the initialiser writes the memory.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// The number of bytes, which is not secret.
    public var count: Int { unsafe storage.count }

    /// Allocates `count` bytes, which `body` writes.
    public init<Failure: Error>(
        count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        unsafe storage = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
        try unsafe body(storage)
    }

    /// Copies bytes. The caller must wipe the original.
    public convenience init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(count: bytes.count) { buffer in unsafe buffer.copyBytes(from: bytes) }
    }

    deinit {
        unsafe SecretBytes.wipe(storage)
        unsafe storage.deallocate()
    }

    /// Passes the bytes to `body`. The pointer must not escape.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(storage))
    }

    /// Overwrites bytes with zeros; the compiler does not remove this. If other arrays share the storage, they keep the
    /// bytes.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) }
    }

    /// Overwrites memory with zeros; the compiler does not remove this.
    package static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        #if canImport(Darwin)
            unsafe memset_s(start, buffer.count, 0, buffer.count)
        #else
            unsafe explicit_bzero(start, buffer.count)
        #endif
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of bytes, and none of the bytes.
    public var description: String { "(\(count) secret bytes)" }
    /// The number of bytes, and none of the bytes.
    public var debugDescription: String { description }
    /// Empty: `dump` prints no bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
