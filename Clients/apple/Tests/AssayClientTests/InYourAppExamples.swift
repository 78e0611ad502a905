import AssayClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The blocks of Docs/in-your-app-ios.md, which a test of the root package compares.
#if ASSAY_CLIENT_STUBS
    /// The shop's backend, for one account.
    struct Shop {
        let backend: URL  // https://api.example.com
        let session: String
        let attestor: AppAttestor

        init(backend: URL, account: String, session: String) throws(AssayClientError) {
            (self.backend, self.session) = (backend, session)
            var configuration = Configuration(app: "shop-ios", backend: backend)
            configuration.account = account
            configuration.authorize = { request in
                request.setValue("Bearer \(session)", forHTTPHeaderField: "Authorization")
            }
            configuration.observe = { event in print(event) }
            attestor = try AppAttestor(configuration, platform: DeviceCheckPlatform(), storage: KeychainStorage())
        }

        /// `order` is {"id":"...","item":"tea","count":2}: the app draws the ID once.
        func order(_ order: Data) async throws(AssayClientError) -> (Data, HTTPURLResponse) {
            var request = URLRequest(url: backend.appendingPathComponent("orders"))
            request.httpMethod = "POST"
            request.httpBody = order
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue("Bearer \(session)", forHTTPHeaderField: "Authorization")
            return try await attestor.data(for: request)
        }
    }

    /// What the app shows.
    func message(for error: AssayClientError) -> String? {
        switch error.code {
        case .later, .locked, .platform, .storage: "That did not work. Try again later."
        case .outcomeUnknown: "We do not know yet whether you have ordered."  // Its ID makes a repetition safe.
        case .updateApp: "Please update the app."
        case .updateSystem: "Please update iOS."
        case .answer: "Please sign in to the network."
        case .pins: "Please try another network."
        case .session: "Please sign in again."
        case .cancelled: nil
        default: "Please contact support."
        }
    }

    func receipts(of shop: Shop, _ request: URLRequest) async throws(AssayClientError) -> Data {
        let tokens = TokenSource(shop.attestor, audience: "https://api.example.com")
        return try await tokens.data(for: request).0
    }

    /// `initial` is the text of `assay pins configuration`.
    func pinned(_ settings: Configuration, _ initial: String, backend: URL) throws(AssayClientError) -> AppAttestor {
        let storage = KeychainStorage()
        var configuration = settings
        configuration.pinning = try Pinning(initial, backend: backend, storage: storage)
        return try AppAttestor(configuration, platform: DeviceCheckPlatform(), storage: storage)
    }

    func tile(_ request: URLRequest, _ attestor: AppAttestor) async throws(AssayClientError) -> Data {
        let maps = Substitution.header("X-Api-Key", secret: "maps-ios", hosts: ["maps.example.com"])
        return try await SecretSource(attestor, substitutions: [maps]).data(for: request).0
    }
#endif
