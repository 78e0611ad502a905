package import AssayCore

/// Connects to Google's Play Integrity API.
package protocol GoogleConnector: Sendable {
    /// Checks the base URL of the API.
    func check(url: String) throws(DecodeError)

    /// Connects with a service account.
    ///
    /// - Parameters:
    ///   - account: the JSON key file of the account.
    ///   - url: the base URL of the API; nil for Google's.
    /// - Throws: ``AssayCore/KeyError`` if the account cannot be read.
    func connect(account: SecretBytes, url: String?) throws -> any GoogleConnection
}

/// A connection to Google's Play Integrity API, for use by engines.
package protocol GoogleConnection: EngineService {
    /// Ends the connection.
    func shutdown() async
}
