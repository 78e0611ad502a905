import AssayClient
import Foundation
import Observation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's side of the kit.
@MainActor @Observable
final class Shop {
    private(set) var message = "Welcome"
    private var attestor: AppAttestor?
    private let backend = Shop.url("https://api.example.com")
    private let session: String
    /// Of the next order. It stays until the shop has the order, so a repetition after a lost answer is the same order.
    private var orderID = UUID()

    init(account: String, session: String) {
        self.session = session
        var configuration = Configuration(app: "shop-ios", backend: backend)
        configuration.account = account
        configuration.authorize = { request in
            request.setValue("Bearer \(session)", forHTTPHeaderField: "Authorization")
        }
        #if DEBUG
            configuration.environment = "development"
        #endif
        configuration.observe = { event in Shop.telemetry(event) }
        do throws(AssayClientError) {
            attestor = try AppAttestor(configuration, platform: DeviceCheckPlatform(), storage: KeychainStorage())
        } catch {
            message = error.message
        }
    }

    /// Enrols before the first order, so that nobody waits for Apple.
    func start() async { try? await attestor?.prefetch() }

    func order() async {
        var request = URLRequest(url: backend.appendingPathComponent("orders"))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"id":"\#(orderID)","item":"tea","count":2}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer \(session)", forHTTPHeaderField: "Authorization")
        do throws(AssayClientError) {
            guard let attestor else { return }
            let (_, response) = try await attestor.data(for: request)
            message = response.statusCode == 201 ? "Ordered" : "The shop answered \(response.statusCode)"
            if response.statusCode == 201 { orderID = UUID() }
        } catch {
            message = Shop.sentence(error)
        }
    }

    /// What the user reads. The error's own message is for developers.
    private static func sentence(_ error: AssayClientError) -> String {
        switch error.code {
        case .updateApp: "Please update the app."
        case .updateSystem: "Please update iOS."
        case .later, .platform, .locked: "Please try again later."
        case .outcomeUnknown: "We do not know yet whether your order arrived. Please look at your orders."
        case .answer: "Please check your network: it may ask for a login."
        default: "Please contact our support (\(error.code.rawValue))."
        }
    }

    private nonisolated static func telemetry(_ event: ClientEvent) {
        // Send it to your metrics: events have no secrets.
    }

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }
}
