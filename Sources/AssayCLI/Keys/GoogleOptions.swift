import ArgumentParser
import Assay
import AssayCore
import AssayGooglePlay

/// How Google is asked to decode standard tokens.
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
    var googleURL: ServerURL?

    func validate() throws {
        try SecretArgument.validate(serviceAccount, of: "--service-account")
        guard googleURL == nil || serviceAccount != nil else {
            throw ValidationError("--google-url needs --service-account, in whose name Google is asked")
        }
    }

    /// The client, and nil when no service account is named.
    func client() throws(CommandFailure) -> PlayIntegrityClient? {
        guard let serviceAccount else { return nil }
        let account: ServiceAccount
        do {
            account = try ServiceAccount(json: SecretArgument.read(serviceAccount, of: "--service-account"))
        } catch let error as KeyError {
            throw CommandFailure(.unreadable, "--service-account: \(error)")
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.unreadable, "--service-account: it cannot be read")
        }
        var settings = PlayIntegrityClientSettings()
        if let googleURL { settings.baseURL = googleURL }
        return PlayIntegrityClient(account: account, settings: settings)
    }

    private static func url(_ text: String) throws -> ServerURL {
        do {
            return try ServerURL(text)
        } catch {
            throw ValidationError(error.detail)
        }
    }
}
