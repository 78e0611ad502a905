/// One small, numbered change of a byte string. Tests of single functions and runs over all vectors use the same
/// changes.
///
/// For each byte: flip each of its eight bits, remove it, double it, and cut the input before it. No change yields the
/// original.
/// gives the bytes themselves.
package struct ByteMutation: Sendable, CustomStringConvertible {
    /// The kind of change.
    package enum Change: Sendable, Equatable {
        /// Flips a bit; 0 is the lowest.
        case flip(bit: Int)
        /// Removes the byte.
        case leaveOut
        /// Doubles the byte.
        case double
        /// Removes the byte and everything after it.
        case cut
    }

    /// The number of changes per byte.
    package static let perByte = 11

    /// The index of the changed byte.
    package let index: Int
    /// The kind of change.
    package let change: Change

    /// The change with a number, counted from the first byte.
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

    /// The number of changes of an input of this length.
    package static func count(of bytes: Int) -> Int { bytes * perByte }

    /// All changes of an input of this length, in ascending order.
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

    /// A description of the change.
    package var description: String {
        switch change {
        case .flip(let bit): "bit \(bit) of byte \(index)"
        case .leaveOut: "byte \(index) left out"
        case .double: "byte \(index) doubled"
        case .cut: "cut at \(index)"
        }
    }
}
