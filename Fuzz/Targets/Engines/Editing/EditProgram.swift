/// The meaning of a fuzzer input: a variant of the evidence, and a few edits of it.
///
///     byte 0        bits 0 and 1: 3 edits the closed evidence, any other value its parts before it is closed;
///                   bit 2: request a thorough check of the verdict; bits 3 to 7: the variant
///     then each     part, operation, node, place (2 bytes, big-endian), length of the operand, operand
///
/// A thorough check takes longer than judging, and the fuzzer mutates most often the inputs that reach most code. So an
/// input gets one only if bit 2 is set and the sum of the bytes after the first is a multiple of 8.
struct EditProgram: Sendable {
    /// The maximum number of edits. More edits took longer and found nothing more.
    static let editLimit = 6

    let isOfClosed: Bool
    let isThorough: Bool
    let variant: Int
    let edits: [Edit]

    init(_ input: [UInt8]) {
        let head = input.first ?? 0
        isOfClosed = head & 3 == 3
        isThorough = head & 4 != 0 && input.dropFirst().reduce(0, &+) & 7 == 0
        variant = Int(head >> 3)
        var edits: [Edit] = []
        var rest = input.dropFirst()
        while rest.count >= 6, edits.count < EditProgram.editLimit {
            let fields = Array(rest.prefix(6))
            rest = rest.dropFirst(6)
            let operand = Array(rest.prefix(Int(fields[5])))
            rest = rest.dropFirst(operand.count)
            edits.append(
                Edit(
                    part: Int(fields[0]), operation: fields[1], node: Int(fields[2]),
                    place: Int(fields[3]) << 8 | Int(fields[4]), operand: operand))
        }
        self.edits = edits
    }

    /// The input for some edits. For a thorough check, it ends with a byte that makes the sum right.
    static func encoded(variant: Int = 0, isOfClosed: Bool = false, isThorough: Bool = false, _ edits: Edit...)
        -> [UInt8]
    {
        let head = UInt8(variant & 31) << 3 | (isThorough ? 4 : 0) | (isOfClosed ? 3 : 0)
        let body = edits.flatMap { edit in
            [
                UInt8(truncatingIfNeeded: edit.part), edit.operation, UInt8(truncatingIfNeeded: edit.node),
                UInt8(truncatingIfNeeded: edit.place >> 8), UInt8(truncatingIfNeeded: edit.place),
                UInt8(truncatingIfNeeded: edit.operand.count),
            ] + edit.operand
        }
        return [head] + body + (isThorough ? [0 &- body.reduce(0, &+)] : [])
    }
}

/// One change to one part of a piece of evidence.
struct Edit: Sendable {
    /// The part, modulo the number of parts.
    let part: Int
    /// The lower half selects the change to a node of a tree, the upper half the change to the bytes of a leaf.
    let operation: UInt8
    /// The node of a tree, in the order of writing.
    let node: Int
    /// The byte.
    let place: Int
    /// The bytes to insert.
    let operand: [UInt8]

    init(part: Int, operation: UInt8, node: Int = 0, place: Int = 0, _ operand: [UInt8] = []) {
        self.init(part: part, operation: operation, node: node, place: place, operand: operand)
    }

    init(part: Int, operation: UInt8, node: Int, place: Int, operand: [UInt8]) {
        self.part = part
        self.operation = operation
        self.node = node
        self.place = place
        self.operand = operand
    }

    /// The operand as a signed 32-bit integer, such as the seconds by which to move a clock.
    var number: Int { Int(Int32(truncatingIfNeeded: operand.prefix(4).reduce(0) { $0 << 8 | Int($1) })) }

    /// The operand as text; invalid UTF-8 is replaced.
    var text: String { String(decoding: operand, as: UTF8.self) }

    /// The changed bytes.
    func bytes(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.isEmpty ? 0 : place % (bytes.count + 1)
        let end = min(bytes.count, start + max(1, operand.count))
        var changed = bytes
        switch operation >> 4 & 7 {
        case 0 where !bytes.isEmpty: changed[(place >> 3) % bytes.count] ^= 1 << UInt8(place & 7)
        case 1: changed.removeSubrange(start..<end)
        case 2: changed.insert(contentsOf: operand, at: start)
        case 3: changed.replaceSubrange(start..<end, with: operand)
        case 4: changed = operand
        case 5: changed.insert(contentsOf: Array(bytes[start..<end]), at: start)
        case 6: changed += operand
        case 7: changed.removeSubrange(start...)
        default: changed = operand
        }
        return changed
    }

    /// A text after the change of its bytes; invalid UTF-8 is replaced.
    func text(_ text: String) -> String { String(decoding: bytes(Array(text.utf8)), as: UTF8.self) }
}
