import AssayAndroidStatus
import AssayCLI
import AssayCore
import AssayHTTPClient

/// Fetches Google's list of revoked attestation certificates through AssayAndroidStatus.
struct HTTPStatusListConnector: StatusListConnector {
    func connect(
        sharing documents: (any LedgerDocuments)?, url: String?
    ) throws(DecodeError) -> any StatusListConnection {
        var settings = AttestationStatusClientSettings()
        if let url { settings.url = try ServerURL(url) }
        return AttestationStatusClient(sharing: documents, settings: settings)
    }
}

extension AttestationStatusClient: StatusListConnection {}
