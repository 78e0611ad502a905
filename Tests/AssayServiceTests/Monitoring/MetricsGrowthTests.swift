import AssayService
import Testing

/// Many apps have many series. What each new one costs does not grow with the others: counted by how often all are copied.
@Suite("Growth of metrics")
struct MetricsGrowthTests {
    @Test("Series are added in place: their storage moves when it grows, and not with each series")
    func added() {
        let registry = MetricsRegistry()
        var moves = 0
        var address: UnsafeRawPointer?
        for number in 0..<8192 {
            _ = registry.makeCounter(label: "assay_growth", dimensions: [("app", "a\(number)")])
            let next = registry.address(ofFamily: "assay_growth")
            if next != address { moves += 1 }
            address = next
        }
        #expect(address != nil)
        // Storage doubles.
        #expect(moves <= 14, "the series of 8192 apps were copied \(moves) times")
    }

    @Test("Gauges are removed in place, and the others stay")
    func removed() {
        let registry = MetricsRegistry()
        let gauges = (0..<4096).map { number in
            registry.makeMeter(label: "assay_growth", dimensions: [("app", "a\(number)")])
        }
        var moves = 0
        var address = registry.address(ofFamily: "assay_growth")
        for (number, gauge) in gauges.enumerated() where number % 64 != 0 {
            registry.destroyMeter(gauge)
            let next = registry.address(ofFamily: "assay_growth")
            if next != address { moves += 1 }
            address = next
        }
        #expect(moves <= 14, "the gauges of 4096 apps were copied \(moves) times")
        for (number, gauge) in gauges.enumerated() {
            let found = registry.makeMeter(label: "assay_growth", dimensions: [("app", "a\(number)")])
            #expect((found === gauge) == (number % 64 == 0), "a\(number)")
        }
    }
}
