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
        for word in [words.0, words.1] {
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 0xF
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            }
        }
    }
}
