import AndroidKey
import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import AssayPrimitives
import AssayReplay
import Foundation

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

/// The option that names the server of the list.
struct StatusListServerOption: ParsableArguments {
    @Option(
        name: .customLong("status-list-url"),
        help: ArgumentHelp(
            "Where the list of revoked certificates is, for statusList: service. (default: Google's)", valueName: "url")
    )
    var url: String?

    /// A client of the server of the list.
    func connection(sharing ledger: any Ledger) throws(CommandFailure) -> AttestationStatusClient {
        try StatusListChoice.connection(sharing: ledger, url: url, of: "--status-list-url")
    }
}
