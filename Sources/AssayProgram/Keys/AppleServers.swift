import Assay
import AssayCore
import AssayPlatforms

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
