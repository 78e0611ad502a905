package import AssayCore
package import AssayTesting
import FoundationEssentials

/// A classic token that differs from a genuine one in one respect.
package struct ClassicCase: VectorCase {
    let id: String
    let outcome: VectorOutcome
    /// What the server expects, where it is not what the app asked with.
    let nonce: String?
    let packageName: String?
    let change: (inout ClassicTokenBlueprint) -> Void

    init(
        _ id: String, _ outcome: VectorOutcome, nonce: String? = nil, packageName: String? = nil,
        change: @escaping (inout ClassicTokenBlueprint) -> Void = { _ in }
    ) {
        self.id = "classic-\(id)"
        self.outcome = outcome
        self.nonce = nonce
        self.packageName = packageName
        self.change = change
    }

    /// A case in which one field of the payload has another value, or is left out.
    package init(_ id: String, _ outcome: VectorOutcome, _ field: PlayIntegrityField, _ value: JSONItem?) {
        self.init(id, outcome) { $0.payload[field] = value }
    }

    package func record(_ mint: IntegrityVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = mint.classic(id)
        change(&blueprint)
        return try blueprint.mint().record(
            id: id, packageName: packageName, nonce: nonce, app: IntegrityVectorMint.app, receivedAt: mint.time,
            expect: outcome.expectation("play-integrity"))
    }
}

/// An answer on a standard token that differs from a genuine one in one respect.
package struct StandardCase: VectorCase {
    let id: String
    let outcome: VectorOutcome
    let isPC: Bool
    /// What the server expects, where it is not what the app asked with.
    let requestHash: String?
    let packageName: String?
    /// Seconds from the usual time of reception to that of this one.
    let delay: TimeInterval
    let change: (inout StandardAnswerBlueprint) -> Void

    init(
        _ id: String, _ outcome: VectorOutcome, isPC: Bool = false, requestHash: String? = nil,
        packageName: String? = nil, delay: TimeInterval = 0,
        change: @escaping (inout StandardAnswerBlueprint) -> Void = { _ in }
    ) {
        self.id = "\(isPC ? "pc" : "standard")-\(id)"
        self.outcome = outcome
        self.isPC = isPC
        self.requestHash = requestHash
        self.packageName = packageName
        self.delay = delay
        self.change = change
    }

    /// A case in which one field of the payload has another value, or is left out.
    init(
        _ id: String, _ outcome: VectorOutcome, isPC: Bool = false, _ field: PlayIntegrityField, _ value: JSONItem?
    ) {
        self.init(id, outcome, isPC: isPC) { $0.payload[field] = value }
    }

    package func record(_ mint: IntegrityVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = isPC ? mint.pc(id) : mint.standard(id)
        change(&blueprint)
        return try blueprint.mint().record(
            id: id, packageName: packageName, requestHash: requestHash, app: IntegrityVectorMint.app,
            receivedAt: mint.time.addingTimeInterval(delay), expect: outcome.expectation("play-integrity"))
    }
}
