package import AndroidKey
package import AssayCore

/// One status list for all evidence of an analysis, in place of the policy's list.
package struct FixedStatusList: AttestationStatusArchive {
    private let list: AttestationStatusList

    /// Reads a list.
    package init(json: [UInt8]) throws(DecodeError) {
        list = try AttestationStatusList(json: json, fetchedAt: nil)
    }

    /// The list.
    package func statusList(
        asCaptured reference: AttestationStatusReference?
    ) async throws(VerificationError) -> AttestationStatusList? { list }
}
