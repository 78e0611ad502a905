import AssayCore
import FoundationEssentials

/// What a vector's verdict has to be.
struct IntegrityOutcome {
    let failed: [String]

    static let accept = IntegrityOutcome(failed: [])

    /// All checks that fail, in their order, without their prefix.
    static func reject(_ checks: String...) -> IntegrityOutcome {
        IntegrityOutcome(failed: checks.map { "play-integrity.\($0)" })
    }

    var expectation: EvidenceRecord.Expectation {
        .init(outcome: failed.isEmpty ? .accept : .reject, failed: failed)
    }
}

/// A classic token that differs from a genuine one in one respect.
struct ClassicCase {
    let id: String
    let outcome: IntegrityOutcome
    /// What the server expects, where it is not what the app asked with.
    let nonce: String?
    let packageName: String?
    let change: (inout ClassicTokenBlueprint) -> Void

    init(
        _ id: String, _ outcome: IntegrityOutcome, nonce: String? = nil, packageName: String? = nil,
        change: @escaping (inout ClassicTokenBlueprint) -> Void = { _ in }
    ) {
        self.id = "classic-\(id)"
        self.outcome = outcome
        self.nonce = nonce
        self.packageName = packageName
        self.change = change
    }

    /// A case in which one field of the payload has another value, or is left out.
    init(_ id: String, _ outcome: IntegrityOutcome, _ field: PlayIntegrityField, _ value: JSONItem?) {
        self.init(id, outcome) { $0.payload[field] = value }
    }

    func record(_ mint: IntegrityVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = mint.classic(id)
        change(&blueprint)
        return try blueprint.mint().record(
            id: id, packageName: packageName, nonce: nonce, app: IntegrityVectorMint.app, receivedAt: mint.time,
            expect: outcome.expectation)
    }
}

/// An answer on a standard token that differs from a genuine one in one respect.
struct StandardCase {
    let id: String
    let outcome: IntegrityOutcome
    let isPC: Bool
    /// What the server expects, where it is not what the app asked with.
    let requestHash: String?
    let packageName: String?
    /// Seconds from the usual time of reception to that of this one.
    let delay: TimeInterval
    let change: (inout StandardAnswerBlueprint) -> Void

    init(
        _ id: String, _ outcome: IntegrityOutcome, isPC: Bool = false, requestHash: String? = nil,
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
        _ id: String, _ outcome: IntegrityOutcome, isPC: Bool = false, _ field: PlayIntegrityField, _ value: JSONItem?
    ) {
        self.init(id, outcome, isPC: isPC) { $0.payload[field] = value }
    }

    func record(_ mint: IntegrityVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = isPC ? mint.pc(id) : mint.standard(id)
        change(&blueprint)
        return try blueprint.mint().record(
            id: id, packageName: packageName, requestHash: requestHash, app: IntegrityVectorMint.app,
            receivedAt: mint.time.addingTimeInterval(delay), expect: outcome.expectation)
    }
}

extension [UInt8] {
    /// The same bytes with one bit of the last one turned.
    func turningLastBit() -> [UInt8] { last.map { dropLast() + [$0 ^ 1] } ?? [] }
}
