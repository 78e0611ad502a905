/// Whether the ledger or the caller ensures that a challenge was issued and is used once.
package enum ChallengeSource: String, Sendable, CaseIterable {
    /// The ledger issued it and consumes it.
    case ledger
    /// The caller compares it.
    case caller
}

/// The treatment of a further attestation of an enrolled key.
package enum Reattestation: String, Sendable, CaseIterable {
    /// Its facts replace the stored ones. An app that lost the answer to its attestation attests again.
    case refresh
    case refuse
}

/// How the account of a request and the account of the key are compared.
package enum AccountBinding: String, Sendable, CaseIterable {
    /// Not at all. Attestations still bind keys to accounts.
    case none
    /// They must be the same if the backend names an account and the key has one.
    case match
    /// The backend must name an account, and it must be that of the key.
    case required
}

extension SectionField {
    /// The field `challenge` of an engine whose ledger keeps track of challenges.
    package static func challenge(_ property: Property<ChallengeSource>, required: String? = nil) -> Self {
        .field("challenge", property, .word, "Who keeps track of challenges.", required: required).weak(
            if: { $0[keyPath: property] == .caller },
            "caller: the ledger consumes no challenge, so captured evidence passes again unless the backend compares "
                + "each challenge and accepts it once; ledger does both")
    }

    /// The field `reattestation`.
    package static func reattestation(
        _ property: Property<Reattestation>, _ challenge: Property<ChallengeSource>
    ) -> Self {
        .field("reattestation", property, .word, "What becomes of a further attestation of a key.").weak(
            if: { $0[keyPath: property] == .refresh && $0[keyPath: challenge] == .caller },
            "refresh with challenge: caller: a captured attestation passes again unless the backend accepts each challenge once"
        )
    }

    /// The fields `account`, `maximumKeys` and `keysExceeded`.
    package static func accounts(_ account: Property<AccountBinding>, _ limit: Property<AccountKeyLimit?>) -> Self {
        let count = FieldForm<Int>.number(1...1000, "a whole number from 1 to 1000")
        let maximum = Self("maximumKeys", .text, "How many keys one account may have.") {
            [PolicySetting("maximumKeys", $0[keyPath: limit].flatMap { count.show($0.maximum) })]
        } read: { (values, node, files) throws(PolicyError) in
            values[keyPath: limit] = AccountKeyLimit(maximum: try count.read(node, files), excess: .note)
        }
        let excess = Self(
            "keysExceeded", .words(AccountKeyLimit.Excess.self), "What becomes of a key beyond maximumKeys."
        ) {
            [PolicySetting("keysExceeded", $0[keyPath: limit]?.excess.rawValue)]
        } read: { (values, node, _) throws(PolicyError) in
            guard let maximum = values[keyPath: limit]?.maximum else {
                throw node.error("keysExceeded is for a policy with maximumKeys, which is missing")
            }
            values[keyPath: limit] = AccountKeyLimit(
                maximum: maximum, excess: try node.word(AccountKeyLimit.Excess.self))
        }
        return .all([
            .field("account", account, .word, "How the accounts of requests and keys are compared."),
            maximum.weak { values in
                let rule = values[keyPath: account]
                guard values[keyPath: limit] != nil, rule != .required else { return nil }
                return "keys without an account do not count, and account: \(rule.rawValue) allows them; required "
                    + "counts all"
            },
            excess.weak(
                if: { $0[keyPath: limit]?.excess == .note },
                "note, which is the default: a key beyond maximumKeys is enrolled and noted; refuse and retire-oldest keep the limit"
            ),
        ])
    }
}
