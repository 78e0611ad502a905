/// What a replay took for granted, since the ledger of that time is not at hand, and what it noticed of the order.
public struct ReplayPresumptions: Sendable, Equatable {
    /// Challenges that were accepted as issued, at their first use.
    public internal(set) var challenges = 0
    /// Keys of the base ledger whose counter began at the one that their first accepted assertion presented.
    public internal(set) var counters = 0
    /// Attestations of keys that the base ledger has, taken for the ones that enrolled them.
    public internal(set) var enrolments = 0
    /// Keys that came with a record and that no attestation of the corpus enrolled.
    public internal(set) var suppliedKeys = 0
    /// Records of a key that came before the attestation of that key.
    public internal(set) var beforeEnrolment = 0

    /// Nothing yet.
    public init() {}

    /// Adds what another ledger presumed.
    public mutating func add(_ other: ReplayPresumptions) {
        challenges += other.challenges
        counters += other.counters
        enrolments += other.enrolments
        suppliedKeys += other.suppliedKeys
        beforeEnrolment += other.beforeEnrolment
    }
}
