package import AssayCore

/// The URL of a server: `https`, host, optional port and path, to which requests append. `http` is allowed only for this machine, for
/// tests: elsewhere it would expose access tokens.
package struct ServerURL: Sendable, CustomStringConvertible {
    /// The URL without a trailing `/`.
    package let text: String
    /// The host as written, without the port.
    package let host: String

    /// `https://playintegrity.googleapis.com`.
    package static let playIntegrity = ServerURL(
        text: "https://playintegrity.googleapis.com", host: "playintegrity.googleapis.com")

    /// `https://android.googleapis.com/attestation/status`.
    package static let androidStatus = ServerURL(
        text: "https://android.googleapis.com/attestation/status", host: "android.googleapis.com")

    /// App Attest of TestFlight, App Store and enterprise builds.
    package static let appAttest = ServerURL(text: "https://data.appattest.apple.com", host: "data.appattest.apple.com")

    /// App Attest of development builds.
    package static let appAttestDevelopment = ServerURL(
        text: "https://data-development.appattest.apple.com", host: "data-development.appattest.apple.com")

    /// DeviceCheck of TestFlight, App Store and enterprise builds.
    package static let deviceCheck = ServerURL(
        text: "https://api.devicecheck.apple.com", host: "api.devicecheck.apple.com")

    /// DeviceCheck of development builds.
    package static let deviceCheckDevelopment = ServerURL(
        text: "https://api.development.devicecheck.apple.com", host: "api.development.devicecheck.apple.com")

    private init(text: String, host: String) {
        self.text = text
        self.host = host
    }

    package init(_ text: String) throws(DecodeError) {
        guard text.utf8.count <= 2048 else {
            throw DecodeError(.tooLarge, at: 2048, "a URL of \(text.utf8.count) bytes, at most 2048 allowed")
        }
        let form = #/(https?)://([A-Za-z0-9.-]+|\[::1\])(?::([0-9]{1,5}))?(/[A-Za-z0-9._~/-]*)?/#
        // ASCII first: the regular expression compares Characters by canonical equivalence.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let match = text.wholeMatch(of: form),
            match.3.map({ (UInt16($0) ?? 0) > 0 }) ?? true
        else {
            throw DecodeError(
                .unexpectedValue, at: 0,
                "expected https://, a host, a port from 1 to 65535 if necessary, and a path of letters, digits and ._~/-"
            )
        }
        guard match.1 == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(match.2) else {
            throw DecodeError(.unexpectedValue, at: 0, "expected https; http is allowed for this machine only")
        }
        var url = text[...]
        while url.last == "/" { url = url.dropLast() }
        self.init(text: String(url), host: String(match.2))
    }

    package var description: String { text }
}
