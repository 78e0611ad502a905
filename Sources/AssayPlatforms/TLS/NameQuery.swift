/// A question for the addresses of one name, and what an answer says to it (RFC 1035, RFC 3596).
package struct NameQuery {
    /// The type of a record.
    package enum RecordType: UInt16, Sendable {
        case a = 1
        case aaaa = 28

        /// How many bytes an address has.
        var size: Int { self == .a ? 4 : 16 }
    }

    /// Why a name has no addresses.
    package struct Failure: Error, Equatable {
        package let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    private static let alias: UInt16 = 5
    private static let internet: UInt16 = 1
    /// The most bytes of a name, with the length of each label.
    private static let longestName = 255

    private let identifier: UInt16
    private let type: RecordType
    /// The labels in lower case, each after its length, without the empty one at the end.
    private let name: [UInt8]

    /// - Throws: ``Failure`` for a text that is no DNS name.
    package init(_ type: RecordType, of host: String, identifier: UInt16) throws(Failure) {
        self.type = type
        self.identifier = identifier
        let text = host.hasSuffix(".") ? host.dropLast() : host[...]
        var name: [UInt8] = []
        for label in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...63).contains(label.count), label.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw Failure("it is no DNS name")
            }
            name += [UInt8(label.count)] + label.map(Self.lowercase)
        }
        guard name.count < Self.longestName else { throw Failure("it is no DNS name") }
        self.name = name
    }

    /// The question, with recursion desired.
    package var message: [UInt8] {
        Self.bytes(identifier) + [1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0] + Self.bytes(type.rawValue)
            + Self.bytes(Self.internet)
    }

    /// The addresses of an answer: those of the name, or of the name for which it is an alias.
    ///
    /// - Throws: ``Failure`` for an answer to another question, one that cannot be read, and one that the server refuses.
    package func addresses(in answer: [UInt8]) throws(Failure) -> [[UInt8]] {
        var reader = MessageReader(answer)
        guard try reader.integer() == identifier else { throw Failure("the answer is to another question") }
        let flags = try reader.integer()
        // QR, and neither an operation code nor TC.
        guard flags & 0xFA00 == 0x8000 else { throw Failure("the answer is none to a question") }
        switch flags & 0xF {
        case 0: break
        case 3: throw Failure("the name does not exist")
        case 5: throw Failure("the server refuses to answer")
        case let code: throw Failure("the server answers with the error \(code)")
        }
        let (questions, records) = (try reader.integer(), try reader.integer())
        _ = (try reader.integer(), try reader.integer())
        guard questions == 1, try reader.name() == name, try reader.integer() == type.rawValue,
            try reader.integer() == Self.internet
        else { throw Failure("the answer is to another question") }
        var (owner, addresses) = (name, [[UInt8]]())
        for _ in 0..<records {
            let (recordName, recordType, recordClass) = (try reader.name(), try reader.integer(), try reader.integer())
            // The time to live.
            _ = (try reader.integer(), try reader.integer())
            let size = Int(try reader.integer())
            guard recordName == owner, recordClass == Self.internet else {
                _ = try reader.bytes(size)
                continue
            }
            if recordType == Self.alias {
                let end = reader.position + size
                owner = try reader.name()
                guard reader.position == end else { throw MessageReader.malformed }
            } else {
                let data = try reader.bytes(size)
                guard recordType == type.rawValue else { continue }
                guard size == type.size else { throw MessageReader.malformed }
                addresses.append(data)
            }
        }
        return addresses
    }

    private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    fileprivate static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Reads a message from its beginning.
    private struct MessageReader {
        static let malformed = Failure("the answer cannot be read")

        private let message: [UInt8]
        private(set) var position = 0

        init(_ message: [UInt8]) { self.message = message }

        mutating func bytes(_ count: Int) throws(Failure) -> [UInt8] {
            guard count <= message.count - position else { throw Self.malformed }
            defer { position += count }
            return Array(message[position..<position + count])
        }

        mutating func integer() throws(Failure) -> UInt16 {
            let bytes = try bytes(2)
            return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        }

        /// A name in lower case, as ``NameQuery/name`` has it. Pointers lead towards the beginning only, so that they end.
        mutating func name() throws(Failure) -> [UInt8] {
            var name: [UInt8] = []
            var (place, end) = (position, Int?.none)
            while true {
                guard place < message.count else { throw Self.malformed }
                let length = Int(message[place])
                switch length {
                case 0:
                    position = end ?? place + 1
                    return name
                case 1...63:
                    guard place + length < message.count, name.count + length + 1 < NameQuery.longestName else {
                        throw Self.malformed
                    }
                    name.append(UInt8(length))
                    name += message[place + 1...place + length].map(NameQuery.lowercase)
                    place += length + 1
                case 0xC0...:
                    guard place + 1 < message.count else { throw Self.malformed }
                    let target = (length & 0x3F) << 8 | Int(message[place + 1])
                    guard target < place else { throw Self.malformed }
                    end = end ?? place + 2
                    place = target
                default: throw Self.malformed
                }
            }
        }
    }
}
