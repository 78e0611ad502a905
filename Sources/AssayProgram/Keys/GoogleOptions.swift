import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms

/// Options for decoding standard tokens through Google's API.
struct GoogleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The service account's JSON, \(SecretSource.allowed): standard tokens are sent to Google.",
            valueName: "source"))
    var serviceAccount: String?

    @Option(
        help: ArgumentHelp(
            "Where Google's Play Integrity API is. (default: https://playintegrity.googleapis.com)", valueName: "url"),
        transform: GoogleOptions.url)
    var googleURL: String?

    func validate() throws {
        try SecretArgument.validate(serviceAccount, of: "--service-account")
        guard googleURL == nil || serviceAccount != nil else {
            throw ValidationError("--google-url needs --service-account, in whose name Google is asked")
        }
    }

    /// The client of Google's API; nil if no service account is given.
    func client() throws(CommandFailure) -> PlayIntegrityClient? {
        try Self.client(serviceAccount, of: "--service-account", url: googleURL)
    }

    /// A client with a service account; nil without one.
    ///
    /// - Parameter name: the option or configuration key that named the source, for messages.
    static func client(
        _ serviceAccount: String?, of name: String, url: String?
    ) throws(CommandFailure) -> PlayIntegrityClient? {
        guard let serviceAccount else { return nil }
        do {
            let account = try SecretArgument.read(serviceAccount, of: name)
            var settings = PlayIntegrityClientSettings()
            if let url { settings.baseURL = try ServerURL(url) }
            return PlayIntegrityClient(account: try ServiceAccount(json: account), settings: settings)
        } catch let error as KeyError {
            throw CommandFailure(.unreadable, "\(name): \(error)")
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.unreadable, "\(name): it cannot be read")
        }
    }

    private static func url(_ text: String) throws -> String {
        do {
            _ = try ServerURL(text)
            return text
        } catch {
            throw ValidationError(error.detail)
        }
    }
}
