import AssayPrimitives
package import FoundationEssentials

/// Compares a ledger with its audit trail, in both directions: each change by hand is in the trail, and what the trail says is so.
///
/// First take all entries of the trail in their order, then the rows of one snapshot, then ask for the ``problems``.
package struct TrailReplay {
    /// The maximum number of problems. Damage beyond this many gives no new information.
    private static let limit = 100

    private struct Operator {
        let addition: LedgerAuditEntry
        /// The revocations since then. The first one counts; a repeated one repairs a row that was changed.
        var revocations: [LedgerChange] = []
    }

    /// Names are compared as bytes: two Unicode spellings of one word are two names.
    private typealias Name = [UInt8]

    /// The last change of each subject that has a standing.
    private var standings: [Name: LedgerAuditEntry] = [:]
    private var operators: [Name: [Operator]] = [:]
    /// The addition and the last change of each sealed key that is stored.
    private var sealedKeys: [Name: (addition: LedgerAuditEntry, last: LedgerAuditEntry)] = [:]
    /// The last move of each enrolled key that was moved.
    private var moves: [Name: LedgerAuditEntry] = [:]
    private var movedKeys: Set<Name> = []
    /// The last change of the quarantine.
    private var quarantine: LedgerAuditEntry?
    private var found: [String] = []

    package init() {}

    /// Whether the enrolled keys are needed: the trail has no entry about others.
    package var needsKeys: Bool { !moves.isEmpty }

    // MARK: The trail

    /// Takes the next entry.
    package mutating func take(_ entry: LedgerAuditEntry) {
        let (change, name) = (entry.change, Array(entry.change.subject.utf8))
        switch change.action {
        case .block, .allow: standings[name] = entry
        case .unblock: standings[name] = nil
        case .moveKey: moves[name] = entry
        case .quarantine: quarantine = entry
        case .addKey: sealedKeys[name] = (entry, entry)
        case .retireKey, .resealKey: sealedKeys[name]?.last = entry
        case .removeKey: sealedKeys[name] = nil
        case .addOperator: operators[name, default: []].append(Operator(addition: entry))
        case .revokeOperator:
            for index in operators[name, default: []].indices { operators[name]?[index].revocations.append(change) }
        // Other changes leave nothing in the ledger that could be compared.
        default: break
        }
    }

    // MARK: The rows

    /// Takes the end of the quarantine, in force or not; nil if there was none.
    package mutating func take(quarantineEnd end: Date?) {
        let isSame: Bool
        switch (quarantine?.change, end) {
        case (nil, nil): isSame = true
        case (let change?, let end?):
            isSame = change.detail.isByteEqual(
                to: LedgerChange(quarantineUntil: end, by: nil, at: change.at).detail)
        default: isSame = false
        }
        guard !isSame else { return }
        found.append(
            "the quarantine of the ledger is not as the audit trail has it, \(quarantine?.change.detail ?? "none"): another program has "
                + "changed it; set it again with `assay ledger quarantine`")
    }

    /// Takes a block or an allowance.
    package mutating func take(_ standing: LedgerStanding) {
        let name = Array(standing.subject.description.utf8)
        let entry = standings.removeValue(forKey: name)
        guard entry?.change.isByteEqual(to: LedgerChange(setting: standing)) != true else { return }
        found.append(
            "the \(standing.block == nil ? "allowance" : "block") of \(standing.subject.description.excerpt) is not in the audit "
                + "trail: another program has written it; set it again or remove it")
    }

    package mutating func take(_ stored: LedgerOperator, tokenHash: [UInt8]) {
        let addition = LedgerChange(adding: stored, tokenHash: tokenHash)
        let name = Array(addition.subject.utf8)
        guard let index = operators[name]?.firstIndex(where: { $0.addition.change.isByteEqual(to: addition) }),
            let known = operators[name]?.remove(at: index)
        else {
            found.append(
                "operator \(stored.name.excerpt), role \(stored.role.rawValue), is not in the audit trail as it is stored: another "
                    + "program has added it, or has changed its token, role or end; revoke it")
            return
        }
        guard let revokedAt = stored.revokedAt else {
            if let revocation = known.revocations.first {
                found.append(
                    "operator \(stored.name.excerpt) was revoked at \(RFC3339.format(revocation.at)), and is not revoked in the "
                        + "ledger: another program has revived it; revoke it again")
            }
            return
        }
        let revocation = LedgerChange(revoking: stored, by: stored.revokedBy, at: revokedAt)
        let isKnown = known.revocations.contains {
            $0.at == revocation.at && $0.operatorName.isByteEqual(to: revocation.operatorName)
        }
        if !isKnown {
            found.append(
                "the revocation of operator \(stored.name.excerpt) at \(RFC3339.format(revokedAt)) is not in the audit trail: "
                    + "another program has written it")
        }
    }

    /// Takes a sealed key. Whether it opens is not tested: that needs the master key.
    package mutating func take(_ key: SealedKey) {
        let addition = LedgerChange(.insert(key), by: nil, at: key.addedAt)
        guard let known = sealedKeys.removeValue(forKey: Array(addition.subject.utf8)) else {
            found.append(
                "key \(key.name.excerpt) is not in the audit trail, or was removed: another program has written it; remove it"
            )
            return
        }
        let isAsLast =
            known.last.change.action == .addKey
            ? key.retiredAt == nil
            : known.last.change.detail.isByteEqual(to: LedgerChange(.replace(key), by: nil, at: key.addedAt).detail)
        guard known.addition.change.detail.isByteEqual(to: addition.detail), isAsLast else {
            found.append(
                "key \(key.name.excerpt) is not as the audit trail has it since entry \(known.last.number): another program has "
                    + "changed it or has written an earlier state back; remove it and add it again")
            return
        }
    }

    package mutating func take(_ key: EnrolledKey) {
        guard needsKeys else { return }
        let name = Array(key.identifier.subject.description.utf8)
        guard let entry = moves[name] else { return }
        movedKeys.insert(name)
        func ends(_ text: String) -> Bool { entry.change.detail.utf8.reversed().starts(with: text.utf8.reversed()) }
        // A key that was moved to no account gets one when it is enrolled again.
        guard !ends(" to no account"), !(key.account.map { ends(" to account \($0)") } ?? false) else { return }
        found.append(
            "\(key.label) belongs to \(key.account.map { "account \($0.excerpt)" } ?? "no account"), and entry \(entry.number) of the "
                + "audit trail has moved it elsewhere: another program has moved it; move it again")
    }

    /// One sentence for each difference, at most a hundred.
    package var problems: [String] {
        var missing: [(number: Int, sentence: String)] = []
        for entry in standings.values {
            let noun = entry.change.action == .allow ? "allowance" : "block"
            missing.append(
                (
                    entry.number,
                    "the \(noun) of \(entry.change.subject.excerpt) by entry \(entry.number) of the audit trail is not in the "
                        + "ledger: another program has removed it; set it again"
                ))
        }
        for stored in operators.values.joined() {
            missing.append(
                (
                    stored.addition.number,
                    "\(stored.addition.change.subject.excerpt), added by entry \(stored.addition.number) of the audit trail, is not "
                        + "in the ledger as it was added: another program has removed or changed it"
                ))
        }
        for key in sealedKeys.values {
            missing.append(
                (
                    key.last.number,
                    "\(key.last.change.subject.excerpt), added by entry \(key.addition.number) of the audit trail, is not in the "
                        + "ledger: another program has removed it; add it again"
                ))
        }
        for (name, entry) in moves where !movedKeys.contains(name) {
            missing.append(
                (
                    entry.number,
                    "\(entry.change.subject.excerpt), moved by entry \(entry.number) of the audit trail, is not in the ledger: "
                        + "another program has removed it"
                ))
        }
        let sentences = found + missing.sorted { $0.number < $1.number }.map(\.sentence)
        return Array(sentences.prefix(Self.limit))
    }
}

extension LedgerChange {
    /// Whether all parts are the same, texts byte for byte.
    fileprivate func isByteEqual(to other: LedgerChange) -> Bool {
        at == other.at && action == other.action && operatorName.isByteEqual(to: other.operatorName)
            && subject.isByteEqual(to: other.subject) && detail.isByteEqual(to: other.detail)
    }
}
