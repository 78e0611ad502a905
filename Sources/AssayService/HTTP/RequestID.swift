import Foundation
import Synchronization

/// The ID of a request in the log and in the answer: 128 random bits. A client cannot guess those of other requests from its own.
struct RequestID: Sendable, CustomStringConvertible {
    private let words: (UInt64, UInt64)

    /// Takes random bits from the system for many IDs at once.
    final class Source: Sendable {
        /// What `getentropy` gives at most, in words.
        private static let count = 256 / 8
        private let unused = Mutex<[UInt64]>([])

        func next() -> RequestID {
            unused.withLock { unused in
                if unused.isEmpty { unused = Self.random() }
                return RequestID(words: (unused.removeLast(), unused.removeLast()))
            }
        }

        private static func random() -> [UInt64] {
            var words = [UInt64](repeating: 0, count: count)
            let error = words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
            guard error == 0 else {
                var generator = SystemRandomNumberGenerator()
                return words.map { _ in generator.next() }
            }
            return words
        }
    }

    /// 32 hexadecimal digits.
    var description: String {
        var digits: [UInt8] = []
        append(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    func append(to bytes: inout [UInt8]) {
        func digits(_ word: UInt64) -> UInt64 { Self.digits(UInt32(truncatingIfNeeded: word)) }
        let all = (digits(words.0 >> 32), digits(words.0), digits(words.1 >> 32), digits(words.1))
        withUnsafeBytes(of: all) { bytes.append(contentsOf: $0) }
    }

    /// The eight digits of a number as bytes in memory, all at once.
    private static func digits(_ number: UInt32) -> UInt64 {
        // Each half of a part goes to the place of its own: of 16 bits, of 8, of 4.
        var nibbles = UInt64(number)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 1 in the bytes from 10 on, whose digits are letters.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let distance = UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
        return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* distance).bigEndian
    }
}
