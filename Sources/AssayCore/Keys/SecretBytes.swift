#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Secret bytes that are wiped when nobody holds them any more, and that show up in no text.
///
/// Copies that are made of what ``withUnsafeBytes(_:)`` lends are for the borrower to wipe. The memory may still be written
/// to swap space or to a core dump by the operating system.
public final class SecretBytes: Sendable {
    // Written before anybody else can see it, and only read afterwards.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// How many bytes there are, which is no secret.
    public var count: Int { storage.count }

    /// Keeps a number of bytes that `body` writes.
    public init<Failure: Error>(
        count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        storage = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        try body(storage)
    }

    /// Copies bytes. The original is for the caller to wipe; see `wipe(_:)`.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { buffer in buffer.copyBytes(from: bytes) }
    }

    deinit {
        SecretBytes.wipe(storage)
        storage.deallocate()
    }

    /// Lends the bytes. The pointer must not be kept.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// Overwrites bytes with zeros, in a way that the compiler does not leave out.
    ///
    /// An array that shares its storage with another one is copied first, and the other one stays as it is.
    public static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { wipe($0) }
    }

    /// Overwrites memory with zeros, in a way that the compiler does not leave out.
    public static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        #if canImport(Darwin)
            memset_s(start, buffer.count, 0, buffer.count)
        #else
            explicit_bzero(start, buffer.count)
        #endif
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many bytes there are, and none of them.
    public var description: String { "(\(count) secret bytes)" }
    /// How many bytes there are, and none of them.
    public var debugDescription: String { description }
    /// Nothing to look into, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
