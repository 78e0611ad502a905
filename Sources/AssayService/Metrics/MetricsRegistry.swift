import AssayCore
package import CoreMetrics
import Synchronization

/// A backend of swift-metrics that keeps all values in the process, for scrapes by Prometheus.
///
/// Metrics of one name and the same labels share their values. Names and labels come from the program and its policy, so that their
/// number is bounded.
package final class MetricsRegistry: MetricsFactory {
    /// The types of Prometheus.
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The values of one combination of labels.
    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)

        var kind: Kind {
            switch self {
            case .counter: .counter
            case .gauge: .gauge
            case .histogram: .histogram
            }
        }

        var handler: AnyObject {
            switch self {
            case .counter(let series): series
            case .gauge(let series): series
            case .histogram(let series): series
            }
        }
    }

    /// All series of one name.
    struct Family: Sendable {
        let kind: Kind
        /// In the order in which they were made, with the text of their labels as the exposition has it.
        private(set) var series: [(labels: String, series: Series)] = []
        private var places: [String: Int] = [:]

        init(kind: Kind) { self.kind = kind }

        func series(_ labels: String) -> Series? { places[labels].map { series[$0].series } }

        mutating func add(_ labels: String, _ new: Series) {
            places[labels] = series.count
            series.append((labels, new))
        }

        mutating func remove(_ handler: AnyObject) {
            let rest = series.filter { $0.series.handler !== handler }
            guard rest.count < series.count else { return }
            (series, places) = ([], [:])
            for (labels, kept) in rest { add(labels, kept) }
        }
    }

    /// Upper bounds of times in seconds: a verification takes from some ten microseconds to some milliseconds, and calls of other
    /// services take longer.
    private static let timeBounds = [
        0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Upper bounds of numbers of writes.
    private static let countBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    private let state = Mutex<[String: Family]>([:])

    /// Starts without a metric.
    package init() {}

    /// The families by name, as they are now.
    var families: [String: Family] { state.withLock { $0 } }

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Kind, _ make: () -> Series) -> Series
    {
        let name = MetricsText.name(label)
        let labels = MetricsText.labels(dimensions)
        return state.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            // A name has one type. If a library reuses the name with another type, its values are not exported.
            guard family.kind == kind else { return make() }
            if let known = family.series(labels) { return known }
            let made = make()
            family.add(labels, made)
            families[name] = family
            return made
        }
    }

    private func remove(_ handler: AnyObject) {
        state.withLock { families in
            for name in families.keys { families[name]?.remove(handler) }
        }
    }

    /// A counter.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard case .counter(let series) = series(label, dimensions, .counter, { .counter(CounterSeries()) }) else {
            return NOOPMetricsHandler.instance
        }
        return series
    }

    /// A gauge.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard case .gauge(let series) = series(label, dimensions, .gauge, { .gauge(GaugeSeries()) }) else {
            return NOOPMetricsHandler.instance
        }
        return series
    }

    /// A histogram of numbers; a gauge if `aggregate` is false.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let kind = aggregate ? Kind.histogram : .gauge
        let made = series(label, dimensions, kind) {
            aggregate ? .histogram(HistogramSeries(Self.countBounds)) : .gauge(GaugeSeries())
        }
        switch made {
        case .counter: return NOOPMetricsHandler.instance
        case .gauge(let series): return series
        case .histogram(let series): return series
        }
    }

    /// A histogram of seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let made = series(label, dimensions, .histogram) { .histogram(HistogramSeries(Self.timeBounds)) }
        guard case .histogram(let series) = made else { return NOOPMetricsHandler.instance }
        return series
    }

    /// Keeps the counter: a series that vanishes looks like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}

    /// Removes the gauge.
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Keeps the histogram.
    package func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Keeps the histogram.
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// A number that only grows.
final class CounterSeries: CounterHandler, Sendable {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }
}

/// A number that is set.
final class GaugeSeries: MeterHandler, RecorderHandler, Sendable {
    private let number = Mutex(0.0)

    var value: Double { number.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { number.withLock { $0 = value } }

    func increment(by amount: Double) { number.withLock { $0 += amount } }

    func decrement(by amount: Double) { number.withLock { $0 -= amount } }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }
}

/// How many values were at most as great as each bound.
final class HistogramSeries: RecorderHandler, TimerHandler, Sendable {
    struct Values: Sendable {
        /// For each bound, and one more for all greater values.
        var counts: [Int]
        var sum = 0.0
    }

    let bounds: [Double]
    private let state: Mutex<Values>

    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(Values(counts: [Int](repeating: 0, count: bounds.count + 1)))
    }

    var values: Values { state.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
}
