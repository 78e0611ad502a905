/// One small change of some bytes, by its number: the same for tests of one function and for runs over all vectors.
///
/// Every byte has its eight bits flipped one by one, is left out, is doubled, and is where the bytes end. No change
/// gives the bytes themselves.
package struct ByteMutation: Sendable, CustomStringConvertible {
    /// What is done to a byte.
    package enum Change: Sendable, Equatable {
        /// A bit is flipped, counted from the lowest.
        case flip(bit: Int)
        /// The byte is not there.
        case leaveOut
        /// The byte comes twice.
        case double
        /// The byte is not there, nor what follows it.
        case cut
    }

    /// How many changes every byte has.
    package static let perByte = 11

    /// The byte that is changed.
    package let index: Int
    /// What is done to it.
    package let change: Change

    /// A change by its number, counted from the first byte on.
    package init(number: Int) {
        index = number / Self.perByte
        change =
            switch number % Self.perByte {
            case let bit where bit < 8: .flip(bit: bit)
            case 8: .leaveOut
            case 9: .double
            default: .cut
            }
    }

    /// How many changes so many bytes have.
    package static func count(of bytes: Int) -> Int { bytes * perByte }

    /// All changes of so many bytes, in the order of their numbers.
    package static func all(of bytes: Int) -> some Sequence<ByteMutation> {
        (0..<count(of: bytes)).lazy.map { ByteMutation(number: $0) }
    }

    /// The bytes after the change.
    package func apply(to bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        switch change {
        case .flip(let bit): changed[index] ^= 1 << UInt8(bit)
        case .leaveOut: changed.remove(at: index)
        case .double: changed.insert(bytes[index], at: index)
        case .cut: changed.removeSubrange(index...)
        }
        return changed
    }

    /// The change in words.
    package var description: String {
        switch change {
        case .flip(let bit): "bit \(bit) of byte \(index)"
        case .leaveOut: "byte \(index) left out"
        case .double: "byte \(index) doubled"
        case .cut: "cut at \(index)"
        }
    }
}
