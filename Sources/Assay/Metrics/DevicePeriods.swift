package import FoundationEssentials

/// The sketches of an app's devices in the current hour, day and month, UTC.
package struct DevicePeriods: Sendable, Equatable {
    /// The names of the periods, as in the metric's label.
    package static let names = ["hour", "day", "month"]

    private struct Period: Sendable, Equatable {
        var number = 0
        var sketch = DeviceSketch()
    }

    private var periods = [Period(), Period(), Period()]

    /// The numbers of the periods at a time.
    static func numbers(at time: Date) -> [Int] {
        let seconds = time.microseconds / 1_000_000
        // RFC 3339 begins with the year and the month.
        let parts = RFC3339.format(time).split(separator: "-").prefix(2).compactMap { Int($0) }
        let month = parts.count == 2 ? parts[0] * 12 + parts[1] : 0
        return [Int(seconds / 3600), Int(seconds / 86_400), month]
    }

    /// Starts new sketches for the periods that have ended. If the clock steps back across the end of a period, the new
    /// period is kept. A period further in the future came from a wrong clock and is dropped.
    package mutating func turn(to now: Date) {
        // Within the same hour, day and month are the same too.
        guard periods[0].number != Int(now.microseconds / 3_600_000_000) else { return }
        for (index, number) in Self.numbers(at: now).enumerated()
        where periods[index].number != number && periods[index].number != number + 1 {
            periods[index] = Period(number: number)
        }
    }

    /// Adds a device at a time.
    package mutating func add(_ hash: UInt64, at now: Date) {
        turn(to: now)
        for index in periods.indices { periods[index].sketch.add(hash) }
    }

    /// Merges the sketches of other processes for the same periods. If the periods differ, keeps the later one.
    package mutating func merge(_ other: DevicePeriods) {
        for (index, theirs) in other.periods.enumerated() {
            if periods[index].number == theirs.number {
                periods[index].sketch.merge(theirs.sketch)
            } else if periods[index].number < theirs.number {
                periods[index] = theirs
            }
        }
    }

    /// The estimates, in the order of ``names``.
    package var estimates: [Double] { periods.map(\.sketch.estimate) }

    /// True if no device was added.
    var isEmpty: Bool { periods.allSatisfy(\.sketch.registers.isEmpty) }

    // MARK: Bytes

    private static let version: UInt8 = 1

    /// A version; then, for each period, its number (eight bytes), the length of the sketch (four), and the sketch.
    package var encoded: [UInt8] {
        var bytes = [Self.version]
        for period in periods {
            let sketch = period.sketch.encoded
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: period.number >> (56 - 8 * $0)) }
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: sketch.count >> (24 - 8 * $0)) }
            bytes += sketch
        }
        return bytes
    }

    /// Decodes the sketches; nil for bytes of another format version, or malformed ones.
    package init?(encoded bytes: [UInt8]) {
        guard bytes.first == Self.version else { return nil }
        var rest = bytes.dropFirst()
        func integer(_ count: Int) -> Int? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        for index in periods.indices {
            guard let number = integer(8), let length = integer(4), rest.count >= length,
                let sketch = DeviceSketch(encoded: rest.prefix(length))
            else { return nil }
            rest = rest.dropFirst(length)
            periods[index] = Period(number: number, sketch: sketch)
        }
        guard rest.isEmpty else { return nil }
    }

    package init() {}
}
