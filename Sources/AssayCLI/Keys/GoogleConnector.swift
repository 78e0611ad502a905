package import AssayCore

/// Connects to Google's Play Integrity API.
package protocol GoogleConnector: Sendable {
    /// Checks the base URL of the API.
    func check(url: String) throws(DecodeError)

    /// Connects in the name of a service account.
    ///
    /// - Parameters:
    ///   - account: the account's JSON.
    ///   - url: the base URL of the API; Google's unless given.
    /// - Throws: ``AssayCore/KeyError`` when the account cannot be read.
    func connect(account: SecretBytes, url: String?) throws -> any GoogleConnection
}

/// A connection to Google's Play Integrity API, which engines use.
package protocol GoogleConnection: EngineService {
    /// Ends the connection.
    func shutdown() async
}
