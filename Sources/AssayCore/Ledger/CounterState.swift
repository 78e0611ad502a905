/// The accepted counters of an enrolled key, as far as the next decision depends on them.
public struct CounterState: Sendable, Equatable {
    /// The greatest distance between the greatest counter and the start of a window; see
    /// ``CounterAdvance/Rule/window(_:)``.
    public static let maximumWindow = 1024

    /// The greatest accepted counter.
    public let greatest: UInt32
    /// The smaller counters that were skipped and that a window may still accept: bit `i % 8` of byte `i / 8`, counted
    /// from the least significant bit, stands for `greatest - 1 - i`. The last byte is never zero.
    public let skipped: [UInt8]

    /// Describes a state.
    ///
    /// - Parameter skipped: at most 128 bytes; further bytes are dropped, and their counters are refused.
    public init(greatest: UInt32, skipped: [UInt8] = []) {
        self.greatest = greatest
        guard !skipped.isEmpty else {
            self.skipped = skipped
            return
        }
        var bytes = skipped.prefix(Self.maximumWindow / 8)
        while bytes.last == 0 { bytes.removeLast() }
        self.skipped = Array(bytes)
    }

    /// The greatest counter, and the number of smaller ones that were skipped.
    package var description: String {
        let count = skipped.reduce(0) { $0 + $1.nonzeroBitCount }
        return count == 0 ? "\(greatest)" : "\(greatest), and \(count) smaller \(count == 1 ? "one" : "ones") skipped"
    }

    /// Whether a smaller counter was skipped.
    package func isSkipped(_ counter: UInt32) -> Bool {
        guard counter < greatest else { return false }
        let index = Int(greatest - 1 - counter)
        return index / 8 < skipped.count && skipped[index / 8] & (1 << (index % 8)) != 0
    }

    /// The state after a counter that the rule allows. Any rule other than a window drops the skipped counters.
    func accepting(_ counter: UInt32, _ rule: CounterAdvance.Rule) -> CounterState {
        guard case .window(let size) = rule else { return CounterState(greatest: counter) }
        let window = min(max(size, 0), Self.maximumWindow)
        let next = max(counter, greatest)
        var bytes = [UInt8](repeating: 0, count: (window + 7) / 8)
        // Counters between the greatest one and the new one are now skipped.
        for index in 0..<window where UInt32(index) < next {
            let candidate = next - 1 - UInt32(index)
            if candidate != counter, candidate > greatest || isSkipped(candidate) {
                bytes[index / 8] |= 1 << (index % 8)
            }
        }
        return CounterState(greatest: next, skipped: bytes)
    }
}
