import ArgumentParser
import Assay
import AssayCore

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

    /// Connects to Google's servers; nil in a program without HTTP.
    @TaskLocal static var connector: (any GoogleConnector)?

    func validate() throws {
        try SecretArgument.validate(serviceAccount, of: "--service-account")
        guard googleURL == nil || serviceAccount != nil else {
            throw ValidationError("--google-url needs --service-account, in whose name Google is asked")
        }
    }

    /// The connection; nil if no service account is given.
    func client() throws(CommandFailure) -> (any GoogleConnection)? {
        try Self.client(serviceAccount, of: "--service-account", url: googleURL)
    }

    /// A connection with a service account; nil without one.
    ///
    /// - Parameter name: the option or configuration key that named the source, for messages.
    static func client(
        _ serviceAccount: String?, of name: String, url: String?
    ) throws(CommandFailure) -> (any GoogleConnection)? {
        guard let serviceAccount else { return nil }
        guard let connector = Self.connector else {
            throw CommandFailure(
                .usage, "\(name): this program was built without HTTP; `make install` has it")
        }
        do {
            return try connector.connect(
                account: SecretArgument.read(serviceAccount, of: name), url: url)
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
            try connector?.check(url: text)
            return text
        } catch {
            throw ValidationError(error.detail)
        }
    }
}
