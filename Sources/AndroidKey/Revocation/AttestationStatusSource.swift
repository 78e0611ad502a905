public import AssayCore
package import FoundationEssentials

/// Fetches the current list of revoked attestation certificates: a service of the verifier.
package protocol AttestationStatusSource: EngineService {
    /// The current list. ``AttestationStatusList/fetchedAt`` is when it was fetched or last confirmed.
    /// - Throws: ``StatusListOutage`` if there is no such list. That is never an acceptance.
    func statusList(at now: Date, maximumAge: Double) async throws(StatusListOutage) -> AttestationStatusList
}

/// There is no status list that is recent enough to judge by.
public struct StatusListOutage: Outage, Equatable {
    /// What is not available.
    public static let part = "attestation status list"
    /// The reason.
    public let code: OutageCode
    /// What happened, where, and what to do.
    public let message: String

    /// Describes an outage.
    public init(_ code: OutageCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension OutageCode {
    /// The last list that was fetched is older than the policy allows, and no newer one can be had.
    public static let statusListTooOld: OutageCode = "status-list-too-old"
    /// No list has been fetched yet, and none can be had.
    public static let statusListMissing: OutageCode = "status-list-missing"
}

/// One status list for all evidence of an analysis, in place of the policy's list: a service of the verifier.
package struct FixedStatusList: EngineService {
    let list: AttestationStatusList

    package init(json: [UInt8]) throws(DecodeError) {
        list = try AttestationStatusList(json: json, fetchedAt: nil)
    }
}
