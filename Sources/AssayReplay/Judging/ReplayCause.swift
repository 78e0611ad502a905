import AssayCore

/// The record in which a check failed that rejects later records too: an attestation whose key is not enrolled.
package final class ReplayRoot: Sendable {
    /// The first failed check, or the code of the failure.
    package let check: String
    /// The record's ID; nil if missing.
    package let id: String?
    package let place: CorpusPlace

    package init(check: String, id: String?, place: CorpusPlace) {
        (self.check, self.id, self.place) = (check, id, place)
    }
}

/// Why exactly one of two policies accepts a record.
package struct ReplayCause: Sendable {
    /// What failed first, and in which record: the record itself, or the attestation of its key.
    package let root: ReplayRoot
    /// Whether the record fails only because its key is not enrolled.
    package let isConsequence: Bool
    /// Whether only the first policy accepts the record.
    package let isLoss: Bool
}

extension ReplayedRecord {
    /// Why exactly one of the two policies accepts the record; nil if both decide alike, and without a comparison.
    package var cause: ReplayCause? {
        guard let against else { return nil }
        let isLoss = judgement.outcome == .accepted
        guard isLoss != (against.outcome == .accepted) else { return nil }
        let reason = (isLoss ? against : judgement).reason
        return ReplayCause(
            root: root ?? ReplayRoot(check: reason, id: id, place: place), isConsequence: root != nil, isLoss: isLoss)
    }

    /// The subject of the evidence under the policy that accepts it.
    private var acceptedSubject: (any EngineSubject)? {
        let accepted = judgement.outcome == .accepted ? judgement : against
        return accepted?.verdict?.engineSubject
    }

    /// A hash of the key or device that an accepted record names, which differs in each process; nil if it names none.
    var deviceHash: UInt64? {
        var hash = DeviceHash()
        return acceptedSubject?.hashDevice(into: &hash) == true ? hash.value : nil
    }

    /// A hash of the account that the record, or the ledger, names for accepted evidence; nil if neither does.
    var accountHash: UInt64? {
        guard let account = account ?? acceptedSubject?.account else { return nil }
        var hash = DeviceHash()
        hash.combine(account)
        return hash.value
    }
}
