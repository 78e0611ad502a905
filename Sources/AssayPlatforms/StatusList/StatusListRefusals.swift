import AndroidKey
import AssayCore
import CoreMetrics
import Synchronization

/// Counts and reports lists that may not follow the one before. Until such a list is accepted, the former one decides about devices, so
/// that operators must see it.
final class StatusListRefusals: Sendable {
    /// Where a list came from.
    enum Source: String, CaseIterable {
        case server, ledger
    }

    /// Sentences about refused lists, each list once.
    let reports: AsyncStream<String>
    private let reporting: AsyncStream<String>.Continuation
    /// The digests of the lists that were reported last.
    private let reported = Mutex<[Source: [UInt8]]>([:])
    /// Made before the first refusal: alerts detect an increase only in a series that already exists.
    private let counters: [Source: [OutageCode: Counter]]

    init() {
        (reports, reporting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
        var counters: [Source: [OutageCode: Counter]] = [:]
        for source in Source.allCases {
            for code in [OutageCode.statusListOlder, .statusListShrunk] {
                counters[source, default: [:]][code] = Counter(
                    label: MetricName.statusListRefused.rawValue,
                    dimensions: [("source", source.rawValue), ("code", code.name)])
            }
        }
        self.counters = counters
    }

    func note(_ digest: [UInt8], from source: Source, of url: ServerURL, _ reason: StatusListOutage) {
        counters[source]?[reason.code]?.increment()
        let isNew = reported.withLock { reported in
            defer { reported[source] = digest }
            return reported[source] != digest
        }
        guard isNew else { return }
        let place =
            switch source {
            case .server: url.host
            case .ledger: "\(url.host), which another server has stored in the ledger,"
            }
        reporting.yield("the status list of \(place) is refused: \(reason.message) (\(reason.code.name))")
    }

    func finish() { reporting.finish() }
}
