import Assay
import AssayCore
import AssayPrimitives
import Foundation
import Testing

@Suite("Sketches of distinct devices")
struct DeviceSketchTests {
    /// Hashes as ``DistinctDevices`` makes them, of numbers.
    private static func hash(_ number: Int) -> UInt64 {
        let code = HMAC.sha256(key: Array("a fixed key".utf8), Array("device \(number)".utf8))
        return code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    @Test("An estimate is right within 2 % from one to a million, whatever is repeated")
    func accuracy() {
        var sketch = DeviceSketch()
        #expect(sketch.estimate == 0)
        var next = 0
        for count in [1, 10, 100, 1000, 10_000, 50_000, 100_000, 200_000, 1_000_000] {
            while next < count {
                sketch.add(Self.hash(next))
                next += 1
            }
            for repeated in 0..<min(count, 1000) { sketch.add(Self.hash(repeated)) }
            let error = abs(sketch.estimate / Double(count) - 1)
            #expect(error < 0.02, "\(count) devices are estimated as \(sketch.estimate)")
        }
    }

    @Test("A merged sketch is that of all devices; its bytes give it back")
    func merging() throws {
        for count in [0, 3, 2000, 40_000] {
            var (first, second, all) = (DeviceSketch(), DeviceSketch(), DeviceSketch())
            for number in 0..<count {
                // A third is in both.
                if number % 3 != 0 { first.add(Self.hash(number)) }
                if number % 3 != 1 { second.add(Self.hash(number)) }
                all.add(Self.hash(number))
            }
            let read = try #require(DeviceSketch(encoded: second.encoded[...]))
            #expect(read == second)
            first.merge(read)
            #expect(first == all)
        }
    }

    @Test("Bytes that no sketch has are refused")
    func foreign() {
        var sketch = DeviceSketch()
        sketch.add(Self.hash(1))
        let dense = [1] + [UInt8](repeating: 1, count: 1 << 15)
        #expect(DeviceSketch(encoded: dense[...]) != nil)
        let tooGreat = [1] + [UInt8](repeating: 51, count: 1 << 15)
        let outside: [UInt8] = [0, 0x80, 0, 1]
        for bytes in [[], [2], [1], [0, 1], tooGreat, outside, Array(dense.dropLast())] as [[UInt8]] {
            #expect(DeviceSketch(encoded: bytes[...]) == nil, "\(bytes.prefix(4)) of \(bytes.count) bytes")
        }
        let periods = DevicePeriods().encoded
        #expect(DevicePeriods(encoded: periods) == DevicePeriods())
        for length in 0..<periods.count { #expect(DevicePeriods(encoded: Array(periods.prefix(length))) == nil) }
        #expect(DevicePeriods(encoded: periods + [0]) == nil)
    }

    @Test("Each period begins anew at its end in UTC; a clock that steps back over midnight goes on with the new day")
    func periods() throws {
        let midnight = try #require(RFC3339.parse("2026-12-01T00:00:00Z"))
        var devices = DevicePeriods()
        func counts() -> [Int] { devices.estimates.map { Int($0.rounded()) } }
        devices.add(Self.hash(1), at: midnight - 3700)
        devices.add(Self.hash(2), at: midnight - 60)
        #expect(counts() == [1, 2, 2], "hour, day and month before midnight")
        devices.add(Self.hash(3), at: midnight + 1)
        #expect(counts() == [1, 1, 1], "after midnight of a new month")
        devices.add(Self.hash(4), at: midnight - 1)
        #expect(counts() == [2, 2, 2], "a clock that has stepped back by two seconds")
        devices.add(Self.hash(5), at: midnight + 86_400 * 400)
        devices.add(Self.hash(6), at: midnight + 2)
        #expect(counts() == [1, 1, 1], "a clock that was a year ahead")
    }
}
