public import AndroidKey
public import AssayCore
package import FoundationEssentials

/// Limits of an ``AttestationStatusClient``.
public struct AttestationStatusClientSettings: Sendable {
    package var url = ServerURL.androidStatus
    /// The time limit of one request.
    public var attemptTime = Duration.seconds(10)
    package var connectTime = Duration.seconds(3)
    /// How long a judgement waits for a newer list while it has one that the policy still allows.
    package var renewalWait = Duration.seconds(2)
    /// The pause after a failed request; doubles for each further one, up to `longestPause`.
    package var pause = Duration.seconds(5)
    /// The longest pause after a failed request, unless `Retry-After` is longer, which counts up to 15 minutes.
    package var longestPause = Duration.seconds(300)

    /// The defaults.
    public init() {}
}

/// Fetches Google's list of revoked and suspended attestation certificates, for policies with `statusList: service`.
///
/// Pass it to a `Verifier` in `services`. Keep one for the life of the process, and shut it down at the end.
///
///     let status = AttestationStatusClient(sharing: ledger)
///     let verifier = Verifier(policy: policy, ledger: ledger, services: [status])
///
/// **When it asks.** As `Cache-Control: max-age` and `Age` of the last answer say, else every five minutes; never more often than
/// once a minute, never less than every six hours while evidence comes. One request at a time, conditional, and ahead of time in the
/// background. After a failure it pauses, longer each time.
///
/// **Old lists.** When no newer list can be had, the last one counts until the policy's `maximumAge`; from then on every judgement
/// that needs it is the outage `status-list-too-old`, never an acceptance. A redirect, a page of HTML, another status and a damaged
/// list change nothing. A list that is older than the one before, or has less than half of its entries, is refused as long as the
/// former one was confirmed within the last twelve hours.
///
/// **Sharing.** With the documents of a ledger, one server fetches the list for all that ask the same URL, and a server that starts has
/// it at once.
public final class AttestationStatusClient: AttestationStatusSource, ReportingService {
    private let keeper: StatusListKeeper
    private let refusals = StatusListRefusals()

    /// Creates a client. Sends nothing until the first judgement.
    ///
    /// - Parameter documents: the ledger through which servers share the list; nil to keep it in this process.
    public convenience init(
        sharing documents: (any LedgerDocuments)? = nil,
        settings: AttestationStatusClientSettings = AttestationStatusClientSettings()
    ) {
        self.init(sharing: documents, settings: settings, time: .system)
    }

    package init(
        sharing documents: (any LedgerDocuments)?, settings: AttestationStatusClientSettings, time: ClientTime
    ) {
        keeper = StatusListKeeper(documents, settings, time, refusals)
    }

    package func statusList(
        at now: Date, maximumAge: Double
    ) async throws(StatusListOutage) -> AttestationStatusList {
        if let list = keeper.freshList(at: now, maximumAge: maximumAge) { return list }
        return try await keeper.list(at: now, maximumAge: maximumAge)
    }

    /// Why the last request got no list; nil if it got one, or none was sent.
    public var lastFailure: StatusListOutage? { get async { await keeper.lastFailure } }

    /// Sentences about lists that were refused because they are older or much smaller than the one before.
    package var reports: AsyncStream<String> { refusals.reports }

    /// Closes all connections. Later judgements that need the list end in the outage `shut-down`.
    public func shutdown() async { await keeper.shutdown() }
}
