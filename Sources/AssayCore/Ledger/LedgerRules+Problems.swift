import AssayPrimitives
package import FoundationEssentials

/// What is wrong with a stored entry, in one sentence; nil for nothing. A check of a ledger reports it.
extension LedgerRules {
    package static func problem(with challenge: IssuedChallenge, consumedAt: Date?) -> String? {
        let times = "issued at \(RFC3339.format(challenge.issuedAt))"
        if challenge.value.isEmpty { return "a challenge \(times) is empty" }
        if challenge.expiresAt <= challenge.issuedAt { return "a challenge \(times) expired before" }
        if let consumedAt, consumedAt > challenge.expiresAt { return "a challenge \(times) was consumed too late" }
        return nil
    }

    /// - Parameter engineProblem: what is wrong with the key by the rules of its engine.
    package static func problem(with key: EnrolledKey, _ engineProblem: (EnrolledKey) -> String?) -> String? {
        if key.identifier.value.isEmpty || key.publicKey.isEmpty { return "\(key.label) is empty" }
        return engineProblem(key).map { "\(key.label) \($0)" }
    }

    package static func problem(with use: UsedDigest) -> String? {
        use.digest.isEmpty ? "an empty digest was used at \(RFC3339.format(use.usedAt))" : nil
    }

    package static func problem(with standing: LedgerStanding) -> String? {
        guard standing.subject.name.isEmpty else { return nil }
        return "\(standing.block == nil ? "an allowed" : "a blocked") \(standing.subject.kind.rawValue) has no name"
    }

    package static func problem(with stored: LedgerOperator, tokenHash: [UInt8]) -> String? {
        if let objection = objection(toOperatorName: stored.name) {
            return "an operator has a name that none can have: \(objection)"
        }
        if stored.until <= stored.addedAt { return "the token of operator \(stored.name) ended before it was added" }
        return tokenHash.count == 32 ? nil : "operator \(stored.name) has a hash of \(tokenHash.count) bytes, not of 32"
    }

    package static func problem(with document: LedgerDocument, named name: String) -> String? {
        do throws(LedgerOutage) { try requireStorable(document.bytes, named: name) } catch { return error.message }
        return document.revision < 1 ? "the document \(name) has the revision \(document.revision)" : nil
    }
}
