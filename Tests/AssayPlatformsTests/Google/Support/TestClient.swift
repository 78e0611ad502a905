import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayTestSupport
import Foundation
import PlayIntegrity

/// A client and its server.
struct TestClient: Sendable {
    let google: FakeGoogle
    let client: PlayIntegrityClient
    let time: TestTime

    static let package = "com.example.shop"
    /// An integrity token, long enough to be found in a text.
    static let token = "CpQBAQFQ" + String(repeating: "iNtEgRiTy-ToKeN_0123", count: 40) + "AQ"

    /// Runs a test with a local server, and a client whose clock advances only by waits.
    static func run(
        at start: Date = Date(timeIntervalSince1970: 1_776_794_400), random: Double = 1,
        settings change: (inout PlayIntegrityClientSettings) -> Void = { _ in },
        _ body: (TestClient) async throws -> Void
    ) async throws {
        let google = try await FakeGoogle()
        let time = TestTime(start, random: random)
        var settings = PlayIntegrityClientSettings()
        settings.baseURL = try ServerURL(google.url)
        change(&settings)
        let account = try ServiceAccount(json: TestAccount.file(tokenURL: google.tokenURL))
        let client = PlayIntegrityClient(account: account, settings: settings, time: time.client)
        let result: Result<Void, any Error>
        do { result = .success(try await body(TestClient(google: google, client: client, time: time))) } catch {
            result = .failure(error)
        }
        await client.shutdown()
        try await google.close()
        try result.get()
    }

    /// Waits until the server has received so many requests of the API.
    func requests(_ count: Int) async throws {
        try await waitUntil("\(count) requests") { google.apiRequests.count >= count }
    }

    /// Waits until the server has received a request for an access token.
    func tokenRequest() async throws {
        try await waitUntil("a request for a token") { !google.tokenRequests.isEmpty }
    }

    /// Lets an attempt time out after a number of requests.
    func runOut(afterRequests count: Int) async throws {
        try await requests(count)
        try await time.runOut(client.settings.attemptTime)
    }

    /// Decodes a token, and returns the body as text.
    func decode(_ form: IntegrityTokenForm = .android) async throws(IntegrityDecoderOutage) -> String {
        let body = try await client.decode(token: Self.token, packageName: Self.package, form: form)
        return String(decoding: body, as: UTF8.self)
    }

    /// The outage of decoding a token; nil for an answer.
    func outage() async -> IntegrityDecoderOutage? {
        do throws(IntegrityDecoderOutage) {
            _ = try await decode()
            return nil
        } catch {
            return error
        }
    }
}
