/// Counts the records that exactly one of two policies accepts, by cause.
package struct ReplayChanges: Sendable {
    /// Counts records, and the devices and accounts that they name.
    package struct Tally: Sendable {
        package private(set) var records = 0
        /// Records that fail only because the attestation of their key was refused.
        package private(set) var consequences = 0
        /// Records that name neither a key nor a device.
        package private(set) var unnamed = 0
        private var deviceHashes: Set<UInt64> = []
        private var accountHashes: Set<UInt64> = []

        /// The number of different keys and devices.
        package var devices: Int { deviceHashes.count }
        /// The number of different accounts.
        package var accounts: Int { accountHashes.count }

        fileprivate mutating func add(isConsequence: Bool, device: UInt64?, account: UInt64?) {
            records += 1
            if isConsequence { consequences += 1 }
            if let device { deviceHashes.insert(device) } else { unnamed += 1 }
            if let account { accountHashes.insert(account) }
        }
    }

    /// The records of one cause.
    package struct Cause: Sendable {
        /// The check that failed first, in the record or in the attestation of its key; or the code of a failure.
        package let check: String
        /// Whether only the first policy accepts the records.
        package let isLoss: Bool
        package let tally: Tally
    }

    private struct Key: Hashable {
        let check: String
        let isLoss: Bool
    }

    /// The records that only the first policy accepts.
    package private(set) var lost = Tally()
    /// The records that only the second policy accepts.
    package private(set) var gained = Tally()
    private var tallies: [Key: Tally] = [:]

    /// The causes, the most frequent first.
    package var causes: [Cause] {
        tallies.map { Cause(check: $0.key.check, isLoss: $0.key.isLoss, tally: $0.value) }.sorted {
            ($1.tally.records, $0.check, $1.isLoss ? 1 : 0) < ($0.tally.records, $1.check, $0.isLoss ? 1 : 0)
        }
    }

    mutating func add(_ record: ReplayedRecord) {
        guard let cause = record.cause else { return }
        let (device, account) = (record.deviceHash, record.accountHash)
        func count(_ tally: inout Tally) {
            tally.add(isConsequence: cause.isConsequence, device: device, account: account)
        }
        count(&tallies[Key(check: cause.root.check, isLoss: cause.isLoss), default: Tally()])
        if cause.isLoss { count(&lost) } else { count(&gained) }
    }
}

extension ReplayChanges.Tally {
    /// Whose records they are: `3 devices and 2 accounts`. Empty if they name none.
    package var origin: String {
        [
            devices > 0 ? NumberText.count(devices, "device") : "",
            accounts > 0 ? NumberText.count(accounts, "account") : "",
        ]
        .filter { !$0.isEmpty }.joined(separator: " and ")
    }
}
