/// A fast hash by which a process recognises a recently seen device. It is not cryptographic: two devices with the same
/// hash count as one.
package struct DeviceHash: Sendable {
    private static let processKey = UInt64.random(in: .min ... .max) | 1

    /// The hash of all combined values.
    package private(set) var value: UInt64
    private let key: UInt64

    /// Starts a hash. Its key differs in each process.
    package init() {
        key = Self.processKey
        value = key
    }

    /// Starts a hash that is the same in every process.
    package init(key: UInt64) {
        self.key = key | 1
        value = self.key
    }

    @inline(__always)
    package mutating func combine(_ word: UInt64) {
        let product = (value ^ word).multipliedFullWidth(by: key)
        value = product.high ^ product.low
    }

    /// Combines bytes, and their number.
    package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index + 8 <= bytes.count {
            combine(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest = UInt64(bytes.count)
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        combine(rest)
    }

    package mutating func combine(_ text: String) {
        var text = text
        text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
    }
}
