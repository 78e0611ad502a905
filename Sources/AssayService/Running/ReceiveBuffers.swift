import NIOCore

/// Allocates a buffer for each read of a connection, so that an idle connection holds none.
///
/// NIO's allocator keeps the buffers of a connection, of up to 64 KiB each. With `maxMessagesPerRead` 1, a channel keeps the first
/// buffer alone, and that only to grow it, if this names no size for the next one: so the first is small, and each may grow.
struct ReceiveBuffers: RecvByteBufferAllocator {
    private static let first = 256
    private var hasRead = false
    private var sizes = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2048, maximum: 65536)

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        hasRead ? sizes.buffer(allocator: allocator) : allocator.buffer(capacity: Self.first)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        if hasRead { _ = sizes.record(actualReadBytes: actualReadBytes) }
        hasRead = true
        return true
    }
}

extension ByteBuffer {
    /// Copies bytes that wait for more, if they are the smaller part of a buffer: they would keep it whole.
    mutating func shrink() {
        if storageCapacity > 1024, readableBytes < storageCapacity / 4 { self = ByteBuffer(bytes: readableBytesView) }
    }
}
