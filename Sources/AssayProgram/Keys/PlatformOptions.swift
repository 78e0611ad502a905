import AndroidKey
import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import AssayPrimitives
import AssayReplay

/// Where Apple's services are, for builds of all environments; nil for Apple's own servers.
struct AppleServers {
    /// The base URL of the server that exchanges receipts.
    var appAttest: String?
    /// The base URL of DeviceCheck.
    var deviceCheck: String?

    /// A connection to the servers. Sends nothing before a receipt is exchanged.
    ///
    /// - Parameters:
    ///   - ledger: keeps the receipts.
    ///   - masterKey: opens and seals receipts; nil for none.
    func connection(
        ledger: any LedgerAdministration, masterKey: MasterKey?
    ) throws(CommandFailure) -> AppleServices {
        var settings = AppleServicesSettings()
        if let url = try Self.url(appAttest, of: "appAttestURL") {
            (settings.appAttest, settings.appAttestDevelopment) = (url, url)
        }
        if let url = try Self.url(deviceCheck, of: "deviceCheckURL") {
            (settings.deviceCheck, settings.deviceCheckDevelopment) = (url, url)
        }
        return AppleServices(ledger: ledger, masterKey: masterKey, settings: settings)
    }

    private static func url(_ text: String?, of key: String) throws(CommandFailure) -> ServerURL? {
        guard let text else { return nil }
        do { return try ServerURL(text) } catch { throw CommandFailure(.unreadable, "\(key): \(error.detail)") }
    }
}

/// Options for decoding standard tokens through Google's API.
struct GoogleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The service account's JSON, \(SecretSource.allowed): standard tokens are sent to Google.",
            valueName: "source"),
        completion: .source)
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

/// The source of the status list by which commands judge: `service`, `as-captured` or `file:PATH`.
enum StatusListChoice: Equatable {
    /// Google's list, if the policy has `statusList: service`.
    case service
    /// The list that each record names, from the folder `status-lists` beside the captures.
    case asCaptured
    /// The list in a file, whatever the policy says.
    case file(String)

    static let forms = "as-captured, service or file:PATH"

    init(_ text: String) throws {
        switch text {
        case "service": self = .service
        case "as-captured": self = .asCaptured
        default:
            guard text.hasPrefix("file:"), text.utf8.count > 5 else {
                throw ValidationError("--status-list takes \(Self.forms), found \"\(text.excerpt)\"")
            }
            self = .file(String(text.dropFirst(5)))
        }
    }

    /// The archive that replaces the policy's list; nil for none.
    ///
    /// - Parameter files: the files and folders with the records.
    func archive(beside files: [String]) throws(CommandFailure) -> (any EngineService)? {
        switch self {
        case .service: return nil
        case .asCaptured: return CapturedDocuments(beside: files.filter { $0 != "-" })
        case .file(let path):
            let json: [UInt8]
            do throws(SecretSourceError) {
                json = try TrustedFile.read(path, limit: AttestationStatusList.limit).withUnsafeBytes { Array($0) }
            } catch {
                throw CommandFailure(.unreadable, "--status-list: \(path): \(error.message)")
            }
            do throws(DecodeError) {
                return try FixedStatusList(json: json)
            } catch {
                throw CommandFailure(.unreadable, "--status-list: \(path): \(error.detail)")
            }
        }
    }

    /// A client of the server of the list. Sends nothing before the first judgement that needs the list.
    ///
    /// - Parameters:
    ///   - ledger: the ledger. It shares the list if it stores documents.
    ///   - url: the URL of the list; nil for Google's.
    ///   - name: the option or configuration key that gave the URL, for messages.
    static func connection(
        sharing ledger: any Ledger, url: String?, of name: String
    ) throws(CommandFailure) -> AttestationStatusClient {
        var settings = AttestationStatusClientSettings()
        do throws(DecodeError) { if let url { settings.url = try ServerURL(url) } } catch {
            throw CommandFailure(name.hasPrefix("-") ? .usage : .unreadable, "\(name): \(error.detail)")
        }
        return AttestationStatusClient(sharing: ledger as? any LedgerDocuments, settings: settings)
    }
}

struct StatusListServerOption: ParsableArguments {
    @Option(
        name: .customLong("status-list-url"),
        help: ArgumentHelp(
            "Where the list of revoked certificates is, for statusList: service. (default: Google's)", valueName: "url")
    )
    var url: String?

    func connection(sharing ledger: any Ledger) throws(CommandFailure) -> AttestationStatusClient {
        try StatusListChoice.connection(sharing: ledger, url: url, of: "--status-list-url")
    }
}
