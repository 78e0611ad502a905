package import AssayCore
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
        /// In the order in which they were made, with the text of their labels as the exposition has it; nil for a removed one.
        private var slots: [(labels: String, series: Series)?] = []
        private var places: [String: Int] = [:]

        init(kind: Kind) { self.kind = kind }

        /// The series in the order in which they were made.
        var series: [(labels: String, series: Series)] { slots.compactMap(\.self) }

        func series(_ labels: String) -> Series? { places[labels].flatMap { slots[$0]?.series } }

        mutating func add(_ labels: String, _ new: Series) {
            places[labels] = slots.count
            slots.append((labels, new))
        }

        /// Removes a series. Half of the slots are in use at least, so that many removals do not move all others each time.
        mutating func remove(_ labels: String) {
            guard let place = places.removeValue(forKey: labels) else { return }
            slots[place] = nil
            guard places.count < slots.count / 2 else { return }
            slots.removeAll { $0 == nil }
            for (place, slot) in slots.enumerated() { if let slot { places[slot.labels] = place } }
        }

        /// Where the series are stored: another address after all of them were copied.
        var address: UnsafeRawPointer? { slots.withUnsafeBufferPointer { $0.baseAddress.map { UnsafeRawPointer($0) } } }
    }

    private struct State {
        var families: [String: Family] = [:]
        /// The family and the labels of each gauge, which can be removed.
        var gauges: [Swift.ObjectIdentifier: (name: String, labels: String)] = [:]
    }

    /// Upper bounds of times in seconds: a verification takes from some ten microseconds to some milliseconds, and calls of other
    /// services take longer.
    private static let timeBounds = [
        0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Upper bounds of numbers of writes.
    private static let countBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    private let state = Mutex(State())
    /// The sentences about metrics, by name.
    let help: [String: String]

    /// Starts without a value.
    ///
    /// - Parameter names: the metrics that the program has.
    package init(_ names: [MetricName] = MetricName.service) {
        help = Dictionary(names.map { ($0.rawValue, $0.help) }, uniquingKeysWith: { first, _ in first })
    }

    /// The families by name, as they are now.
    var families: [String: Family] { state.withLock { $0.families } }

    /// Where the series of a family are stored, for tests that count copies.
    package func address(ofFamily name: String) -> UnsafeRawPointer? {
        state.withLock { $0.families[name]?.address }
    }

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Kind, _ make: () -> Series) -> Series
    {
        let name = MetricsText.name(label)
        let labels = MetricsText.labels(dimensions)
        return state.withLock { state in
            // A name has one type. If a library reuses the name with another type, its values are not exported.
            if let known = state.families[name]?.kind, known != kind { return make() }
            if let known = state.families[name]?.series(labels) { return known }
            let made = make()
            // In place: a copy of the family beside the stored one would copy all of its series for each new one.
            state.families[name, default: Family(kind: kind)].add(labels, made)
            if kind == .gauge { state.gauges[Swift.ObjectIdentifier(made.handler)] = (name, labels) }
            return made
        }
    }

    private func remove(_ handler: AnyObject) {
        state.withLock { state in
            guard let place = state.gauges.removeValue(forKey: Swift.ObjectIdentifier(handler)) else { return }
            state.families[place.name]?.remove(place.labels)
        }
    }

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

extension MetricsRegistry {
    /// Counts an outage that was thrown outside of the verifier, such as one of the look-up of a caller's token.
    func count(_ outage: any Outage) {
        let labels = zip(MetricName.outages.labels, [type(of: outage).part, outage.code.name])
        makeCounter(label: MetricName.outages.rawValue, dimensions: Array(labels)).increment(by: 1)
    }
}
