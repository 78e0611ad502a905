import AssayPrimitives

/// The parts of a key in one block of secret memory: for each a name and a value, each after its length.
enum SealedParts {
    /// Lengths are four bytes, the most significant one first.
    private static let lengthBytes = 4

    /// The canonical encoding: parts sorted by name.
    static func encode(_ parts: [String: SecretBytes]) -> SecretBytes {
        let sorted = parts.map { (name: Array($0.key.utf8), value: $0.value) }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
        let count = sorted.reduce(0) { $0 + 2 * lengthBytes + $1.name.count + $1.value.count }
        return SecretBytes(count: count) { buffer in
            var position = 0
            func write(_ bytes: some Collection<UInt8>) {
                for byte in bytes {
                    buffer[position] = byte
                    position += 1
                }
            }
            func writeLength(_ length: Int) {
                write((0..<lengthBytes).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) })
            }
            for part in sorted {
                writeLength(part.name.count)
                write(part.name)
                writeLength(part.value.count)
                part.value.withUnsafeBytes { write($0) }
            }
        }
    }

    /// Reads the output of ``encode(_:)``; nil for anything else.
    static func decode(_ encoded: SecretBytes) -> [String: SecretBytes]? {
        encoded.withUnsafeBytes { bytes in
            var rest = bytes[...]
            func read() -> Slice<UnsafeRawBufferPointer>? {
                guard rest.count >= lengthBytes else { return nil }
                let length = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(lengthBytes)
                guard length <= rest.count else { return nil }
                defer { rest = rest.dropFirst(length) }
                return rest.prefix(length)
            }
            var parts: [String: SecretBytes] = [:]
            while !rest.isEmpty {
                guard let name = read().flatMap({ String(validating: $0, as: UTF8.self) }), let value = read() else {
                    return nil
                }
                guard parts.updateValue(SecretBytes(value), forKey: name) == nil else { return nil }
            }
            return parts
        }
    }
}
