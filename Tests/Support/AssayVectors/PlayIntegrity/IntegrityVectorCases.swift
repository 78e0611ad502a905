import AssayCore
package import AssayTesting
import FoundationEssentials

extension IntegrityVectorMint {
    /// A classic token that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - nonce: the nonce that the server expects if it differs from the app's.
    ///   - packageName: the package name that the server expects if it differs from the app's.
    func classic(
        _ id: String, _ outcome: VectorOutcome, nonce: String? = nil, packageName: String? = nil,
        change: @escaping (inout ClassicTokenBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = classic("classic-\(id)")
            change(&blueprint)
            return try blueprint.mint().record(
                id: "classic-\(id)", packageName: packageName, nonce: nonce, app: Self.app, receivedAt: time,
                expect: outcome.expectation("play-integrity"))
        }
    }

    /// A classic token in which one payload field is changed or missing.
    package func classic(
        _ id: String, _ outcome: VectorOutcome, _ field: PlayIntegrityField, _ value: JSONItem?
    ) -> VectorCase {
        classic(id, outcome) { $0.payload[field] = value }
    }

    /// A classic token in which one field fails a check.
    func classic(_ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        classic(id, .reject(check), field, value)
    }

    /// An answer for a standard token that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - requestHash: the request hash that the server expects if it differs from the app's.
    ///   - delay: seconds from the usual time of receipt to the actual one.
    func standard(
        _ id: String, _ outcome: VectorOutcome, isPC: Bool = false, requestHash: String? = nil,
        packageName: String? = nil, delay: TimeInterval = 0,
        change: @escaping (inout StandardAnswerBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            let id = "\(isPC ? "pc" : "standard")-\(id)"
            var blueprint = isPC ? pc(id) : standard(id)
            change(&blueprint)
            return try blueprint.mint().record(
                id: id, packageName: packageName, requestHash: requestHash, app: Self.app,
                receivedAt: time.addingTimeInterval(delay), expect: outcome.expectation("play-integrity"))
        }
    }

    /// An answer in which one payload field is changed or missing.
    func standard(
        _ id: String, _ outcome: VectorOutcome, isPC: Bool = false, _ field: PlayIntegrityField, _ value: JSONItem?
    ) -> VectorCase {
        standard(id, outcome, isPC: isPC) { $0.payload[field] = value }
    }

    /// An answer in which one field fails a check.
    func standard(_ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?) -> VectorCase {
        standard(id, .reject(check), field, value)
    }
}
