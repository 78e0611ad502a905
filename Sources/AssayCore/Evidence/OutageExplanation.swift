/// What the code of an outage means, for `explain` and for metrics.
package struct OutageExplanation: Sendable {
    package let code: OutageCode
    /// The parts that use it, as ``Outage/part`` names them.
    package let parts: [String]
    /// What it means, and what to do.
    package let meaning: String

    private init(_ code: OutageCode, _ parts: [String], _ meaning: String) {
        (self.code, self.parts, self.meaning) = (code, parts, meaning)
    }

    private static let (ledger, keyStore) = ("ledger", "key store")
    private static let (google, apple, statusList) = ("Google Play", "Apple", "attestation status list")
    private static let hostCertificate = "certificate of a host"
    private static let remote = [google, apple, statusList]

    /// The explanation of a code; nil if no part uses it.
    package static func of(_ code: String) -> OutageExplanation? { all.first { $0.code.name.isByteEqual(to: code) } }

    /// All codes.
    package static let all: [OutageExplanation] = [
        OutageExplanation(
            .unreachable, [ledger, keyStore, hostCertificate] + remote,
            "The part cannot be opened or reached: look at the path or the host, the rights, the network and the other server."
        ),
        OutageExplanation(
            .full, [ledger, keyStore],
            "There is no space left on the disk or in the database: free some, or enlarge it."),
        OutageExplanation(
            .readOnly, [ledger, keyStore],
            "The storage takes no writes: a read-only file system, missing rights, or a standby of PostgreSQL in place of the primary."
        ),
        OutageExplanation(
            .locked, [ledger, keyStore],
            "Another process holds the storage for too long: look for a long transaction, an export or a backup."),
        OutageExplanation(
            .corrupt, [ledger, keyStore],
            "The stored data is damaged, or is no ledger: `assay ledger check` says what is wrong; restore a backup if it is damage."
        ),
        OutageExplanation(
            .newerSchema, [ledger, keyStore],
            "A newer version of the program wrote the ledger: run that version, or restore the backup from before the upgrade."
        ),
        OutageExplanation(
            .inputOutput, [ledger, keyStore],
            "The operating system reports an error of input or output: look at the disk and at the log of the kernel."),
        OutageExplanation(
            .forgotten, [ledger],
            """
            The ledger has deleted entries as old as this evidence, and cannot decide whether it was used before: the policy's window \
            was lengthened, or a clock was wrong. Newer evidence is judged.
            """),
        OutageExplanation(
            .wrongLedger, [ledger, keyStore],
            """
            The open ledger is not the one that its URL names any more: it was moved by `assay migrate`, its file was replaced or removed, \
            the file has a second name, or the file or the server has older data than before. The message says which; correct it, after \
            older data with `assay ledger quarantine`, and restart what has the ledger open.
            """),
        OutageExplanation(
            .quarantine, [ledger],
            """
            The ledger was restored from a backup, and cannot decide yet whether evidence without one of its challenges was used before: \
            `assay ledger quarantine` set the end. Evidence with a challenge of the ledger is judged.
            """),
        OutageExplanation(
            .outOfMemory, [ledger, keyStore],
            "Memory ran out in a check or in the ledger: give the process more, or send less at once."),
        OutageExplanation(
            .internalError, [ledger, keyStore],
            "A part broke its own rules, so that there is no verdict: report it with the message and the version."),
        OutageExplanation(
            "undetermined", [ledger, keyStore],
            """
            The answer to a commit was lost, and the database could not be asked what became of it. The evidence is not accepted, and may \
            be used up: the client makes new evidence.
            """),
        OutageExplanation(
            "not-durable", [ledger, keyStore],
            """
            The server of the ledger may forget what it has committed: turn on fsync, full_page_writes and synchronous_commit, or say \
            durability=waived in the ledger's URL.
            """),
        OutageExplanation(
            .wrongMasterKey, [keyStore],
            "Another master key seals the key store: give the one with which its keys were added."),
        OutageExplanation(
            .unknownPurpose, [keyStore],
            "The key store has keys of a purpose that this version does not know: run the version that added them."),
        OutageExplanation(
            .timeout, remote + [hostCertificate],
            "No answer came in time: look at the network, and at proxies on the way."),
        OutageExplanation(
            .notAuthorised, [google, apple],
            "The other server refuses the account or the key, or there is none: look at its rights, its end, and the clock."
        ),
        OutageExplanation(
            .quota, [google, apple],
            "A rate limit or a quota is used up: look for a loop in the app or an attack, or ask for a greater quota."),
        OutageExplanation(
            .circuitOpen, [google, apple],
            "Several calls in a row have failed, so that calls pause for a while: the outages before it say why."),
        OutageExplanation(
            .serverError, remote, "The other server has failed (HTTP 5xx): wait, and look at its status page."),
        OutageExplanation(
            .unexpectedAnswer, remote + [hostCertificate],
            "The answer has no documented form: look for a proxy or a captive portal between this machine and the other server."
        ),
        OutageExplanation(
            "answer-lost", [google],
            """
            Google may have decoded the token, and its answer was lost; the second call got an answer without verdicts. The client asks \
            for a new token.
            """),
        OutageExplanation(
            "not-sendable", [google],
            "The package name or the token is malformed, so that nothing was sent to Google: look at `packageName` of the policy."
        ),
        OutageExplanation(
            "refused-request", [apple],
            "Apple rejects the request as malformed: look at the environment and the App ID of the policy, and update the program."
        ),
        OutageExplanation(
            "status-list-missing", [statusList],
            "No status list of Android keys was fetched since the start, and the ledger has none: look at the network and `statusListURL`."
        ),
        OutageExplanation(
            "status-list-too-old", [statusList],
            """
            The last status list of Android keys is older than `statusList.maximumAge` of the policy allows, and no newer one can be had: \
            look at the network and `statusListURL`.
            """),
        OutageExplanation(
            "status-list-older", [statusList],
            "The server sent a status list that is older than the one before, which is kept for twelve hours: look at caches on the way."
        ),
        OutageExplanation(
            "status-list-shrunk", [statusList],
            """
            The server sent a status list with less than half of the entries of the one before, which is kept for twelve hours: compare \
            both, and look whether `statusListURL` is the right one.
            """),
        OutageExplanation(
            .cancelled, remote, "The caller's task was cancelled, as when a client hangs up: no action."),
        OutageExplanation(.shutDown, remote, "The process is stopping: no action."),
    ]
}
