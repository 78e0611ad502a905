package import AssayCore

/// Mints a record that differs from a genuine one in one respect. It depends only on the mint and its own name, so a
/// new case changes no other record.
package typealias VectorCase = () throws -> EvidenceRecord

/// The verdict that a vector must get.
package struct VectorOutcome: Sendable {
    /// The failed checks in order, without the prefix of their kind or engine.
    let failed: [String]

    /// No check fails.
    package static let accept = VectorOutcome(failed: [])

    /// Some checks fail.
    package static func reject(_ checks: String...) -> VectorOutcome { VectorOutcome(failed: checks) }

    /// - Parameter prefix: the prefix of the checks' names, such as `app-attest.assertion`.
    func expectation(_ prefix: String) -> EvidenceRecord.Expectation {
        .init(
            outcome: failed.isEmpty ? .accept : .reject,
            failed: failed.map { .init(check: "\(prefix).\($0)", code: nil) })
    }
}

extension [UInt8] {
    /// Flips the lowest bit of the last byte.
    func flippingLastBit() -> [UInt8] { last.map { dropLast() + [$0 ^ 1] } ?? [] }

    static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
