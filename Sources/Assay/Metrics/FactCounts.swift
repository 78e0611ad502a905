import AssayCore
import CoreMetrics
import Synchronization

/// Counts verdicts by facts of their subjects, the policy's `metrics.by`, and by the properties of `metrics.property`. The number of values is bounded, also if evidence has a new one
/// each time.
package final class FactCounts: Sendable {
    /// The most values of a fact for an app. Verdicts with further ones are counted under ``other``.
    static let maximumValues = 100
    /// The most values of one verdict, such as the properties of a device.
    private static let maximumListed = 16
    private static let other = "other"

    private struct Fact: Hashable {
        let app: String
        let name: String
    }

    private struct Counters {
        let accepted: any CounterHandler
        let rejected: any CounterHandler
    }

    private let known = Mutex<[Fact: [String: Counters]]>([:])

    package init() {}

    /// Counts a verdict.
    ///
    /// - Parameters:
    ///   - app: the label of the app; empty without one.
    ///   - names: the facts to count by.
    ///   - factory: the backend that makes counters.
    func count(_ verdict: Verdict, app: String, by names: [String], _ factory: any MetricsFactory) {
        guard let subject = verdict.engineSubject else { return }
        for field in subject.dimensions where names.containsBytes(of: field.name) {
            let fact = Fact(app: app, name: field.name)
            for value in Set(Self.values(of: field.value)) {
                let pair = counters(of: fact, value, factory)
                (verdict.outcome == .accept ? pair.accepted : pair.rejected).increment(by: 1)
            }
        }
    }

    /// Counts a verdict by the property of its app; values that the policy does not list as ``other``.
    func count(propertyOf verdict: Verdict, app: String, among listed: [String], _ factory: any MetricsFactory) {
        guard let value = verdict.property?.value else { return }
        let pair = counters(
            of: Fact(app: app, name: "property"), listed.containsBytes(of: value) ? value : Self.other, factory)
        (verdict.outcome == .accept ? pair.accepted : pair.rejected).increment(by: 1)
    }

    private func counters(of fact: Fact, _ value: String, _ factory: any MetricsFactory) -> Counters {
        known.withLock { known in
            let values = known[fact, default: [:]]
            let value = values[value] != nil || values.count < Self.maximumValues ? value : Self.other
            if let pair = values[value] { return pair }
            let labels = [fact.app, fact.name, value]
            let made = Counters(
                accepted: factory.counter(.verdictFacts, labels + ["accept"]),
                rejected: factory.counter(.verdictFacts, labels + ["reject"]))
            known[fact, default: [:]][value] = made
            return made
        }
    }

    /// The values of a label: the elements of a list, or one text. Each is one line of at most 60 characters, without the characters that
    /// terminals interpret, and not empty.
    private static func values(of value: SubjectField.Value) -> [String] {
        let texts: [String] =
            switch value {
            case .texts(let texts) where !texts.isEmpty: Array(texts.prefix(maximumListed))
            case .integers(let numbers) where !numbers.isEmpty: numbers.prefix(maximumListed).map { "\($0)" }
            default: [value.text]
            }
        return texts.map { $0.isEmpty ? "none" : $0.excerpt }
    }
}
