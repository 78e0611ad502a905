import AssayCLI
import AssayCore
import AssayGooglePlay
import AssayHTTPClient

/// Connects to Google's servers through AssayGooglePlay.
struct HTTPGoogleConnector: GoogleConnector {
    func check(url: String) throws(DecodeError) {
        _ = try ServerURL(url)
    }

    func connect(account: SecretBytes, url: String?) throws -> any GoogleConnection {
        var settings = PlayIntegrityClientSettings()
        if let url { settings.baseURL = try ServerURL(url) }
        return PlayIntegrityClient(account: try ServiceAccount(json: account), settings: settings)
    }
}

extension PlayIntegrityClient: GoogleConnection {}
