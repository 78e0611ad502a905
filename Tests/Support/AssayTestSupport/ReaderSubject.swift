import AssayCore

/// A strict reader and inputs that it accepts. Damaged inputs must end in a `DecodeError` whose offset lies in the input.
package struct ReaderSubject: Sendable, CustomStringConvertible {
    package let description: String
    private let samples: [[UInt8]]
    private let read: @Sendable (ArraySlice<UInt8>) throws -> Void

    package init(
        description: String, samples: [[UInt8]], read: @escaping @Sendable (ArraySlice<UInt8>) throws -> Void
    ) {
        self.description = description
        self.samples = samples
        self.read = read
    }

    /// The failures for every prefix of every sample.
    package func prefixFailures() -> [String] {
        samples.flatMap { sample in (0...sample.count).compactMap { failure(Array(sample.prefix($0))) } }
    }

    /// The failures for damaged samples. Each run damages them in the same way.
    package func mutationFailures(rounds: Int) -> [String] {
        // SplitMix64 with a fixed seed.
        var state: UInt64 = 0x41_73_73_61_79
        func random(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ mixed >> 31) % UInt64(bound))
        }
        return (0..<rounds).compactMap { round in
            var bytes = samples[round % samples.count]
            for _ in 0...random(3) {
                let index = random(bytes.count + 1)
                switch random(4) {
                case 0 where index < bytes.count: bytes[index] = UInt8(random(256))
                case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8(random(8))
                case 2 where index < bytes.count: bytes.remove(at: index)
                default: bytes.insert([0x00, 0x80, 0xFF, 0x22, 0x81, 0x30][random(6)], at: index)
                }
            }
            return failure(bytes)
        }
    }

    /// Reads from the middle of a larger array, to detect a reader that reads outside its slice.
    private func failure(_ bytes: [UInt8]) -> String? {
        let padded = [0x30, 0x80, 0x22] + bytes + [0x00, 0x00, 0x22]
        let slice = padded[3..<padded.count - 3]
        do {
            try read(slice)
        } catch let error as DecodeError {
            if error.offset < slice.startIndex || error.offset > slice.endIndex {
                return "\(description): \(error) is outside of \(bytes)"
            }
        } catch {
            return "\(description): \(error) on \(bytes)"
        }
        return nil
    }
}
