/// Estimates how many distinct hashes were added (HyperLogLog; P. Flajolet et al. 2007), with the estimator of O. Ertl, "New
/// cardinality estimation algorithms for HyperLogLog sketches" (2017), section 3, which needs no correction of bias.
///
/// With 2^15 registers the standard error is 0.57 %.
package struct DeviceSketch: Sendable, Equatable {
    private static let bits = 15
    static let size = 1 << bits
    /// The greatest rank, when all bits beyond the register index are zero.
    private static let greatest = 64 - bits + 1

    /// The greatest rank added to each register. Empty until the first hash.
    private(set) var registers: [UInt8] = []

    /// Adds a hash. All its bits must be equally likely.
    package mutating func add(_ hash: UInt64) {
        if registers.isEmpty { registers = [UInt8](repeating: 0, count: Self.size) }
        let index = Int(hash >> UInt64(64 - Self.bits))
        let rank = min((hash << UInt64(Self.bits)).leadingZeroBitCount, Self.greatest - 1) + 1
        registers[index] = max(registers[index], UInt8(rank))
    }

    /// Merges another sketch into this one.
    package mutating func merge(_ other: DeviceSketch) {
        guard !registers.isEmpty, !other.registers.isEmpty else {
            if registers.isEmpty { registers = other.registers }
            return
        }
        for index in registers.indices { registers[index] = max(registers[index], other.registers[index]) }
    }

    /// The estimated number of distinct hashes.
    package var estimate: Double {
        guard !registers.isEmpty else { return 0 }
        var counts = [Double](repeating: 0, count: Self.greatest + 1)
        for rank in registers { counts[Int(rank)] += 1 }
        let size = Double(Self.size)
        var sum = size * Self.tau(1 - counts[Self.greatest] / size)
        for rank in (1..<Self.greatest).reversed() { sum = 0.5 * (sum + counts[rank]) }
        sum += size * Self.sigma(counts[0] / size)
        // 1 / (2 ln 2)
        return 0.721_347_520_444_481_7 * size * size / sum
    }

    private static func sigma(_ value: Double) -> Double {
        guard value < 1 else { return .infinity }
        var (power, factor, sum, before) = (value, 1.0, value, -1.0)
        while sum != before {
            power *= power
            before = sum
            sum += power * factor
            factor += factor
        }
        return sum
    }

    private static func tau(_ value: Double) -> Double {
        guard value > 0, value < 1 else { return 0 }
        var (root, factor, sum, before) = (value, 1.0, 1 - value, -1.0)
        while sum != before {
            root = root.squareRoot()
            before = sum
            factor *= 0.5
            sum -= (1 - root) * (1 - root) * factor
        }
        return sum / 3
    }

    // MARK: Bytes

    /// A format byte and the registers. A sketch with few nonzero registers is stored as pairs of index (two bytes) and
    /// rank.
    package var encoded: [UInt8] {
        let used = registers.indices.filter { registers[$0] != 0 }
        guard used.count * 3 < Self.size else { return [1] + registers }
        return [0] + used.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF), registers[$0]] }
    }

    /// Decodes a sketch; nil for bytes that ``encoded`` cannot produce.
    package init?(encoded bytes: ArraySlice<UInt8>) {
        let content = Array(bytes.dropFirst())
        switch bytes.first {
        case 1 where content.count == Self.size: registers = content
        case 0 where content.isEmpty: break
        case 0 where content.count % 3 == 0 && content.count < Self.size:
            registers = [UInt8](repeating: 0, count: Self.size)
            for start in stride(from: 0, to: content.count, by: 3) {
                let index = Int(content[start]) << 8 | Int(content[start + 1])
                guard index < Self.size else { return nil }
                registers[index] = content[start + 2]
            }
        default: return nil
        }
        guard registers.allSatisfy({ $0 <= Self.greatest }) else { return nil }
    }

    package init() {}
}
