import CoreMetrics
import Synchronization

/// A backend of swift-metrics that does as little as one can: atomic additions. It exists to measure what the library adds.
final class CountingFactory: MetricsFactory {
    private final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
        private let value = Atomic<Int64>(0)

        func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
        func reset() { value.store(0, ordering: .relaxed) }
        func set(_ value: Int64) { self.value.store(value, ordering: .relaxed) }
        func set(_ value: Double) { set(Int64(value)) }
        func increment(by amount: Double) { increment(by: Int64(amount)) }
        func decrement(by amount: Double) { increment(by: -Int64(amount)) }
        func record(_ value: Int64) { increment(by: value) }
        func record(_ value: Double) { increment(by: Int64(value)) }
        func recordNanoseconds(_ duration: Int64) { increment(by: duration) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Series() }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { Series() }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Series()
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Series() }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
