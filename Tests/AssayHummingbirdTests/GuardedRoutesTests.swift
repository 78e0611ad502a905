import Approov
import Assay
import AssayHummingbird
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Routes that the middleware guards")
struct GuardedRoutesTests {
    private static func router() -> Router<BasicEvidenceRequestContext> {
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.get("livez") { _, _ in "alive" }
        router.post("orders/:id") { _, _ in "stored" }
        return router
    }

    @Test("Routes before the middleware are named in an error, and the middleware is not added")
    func unguarded() throws {
        let middleware = try EvidenceMiddleware<BasicEvidenceRequestContext>(try TestAPI.live())
        let error = #expect(throws: UnguardedRoutesError.self) {
            try Self.router().guardAllRoutes(with: middleware)
        }
        #expect(error?.routes == ["GET /livez", "POST /orders/{id}"])
        let second = #expect(throws: UnguardedRoutesError.self) {
            try Self.router().guardAllRoutes(with: middleware, except: ["GET /livez", "GET /orders/{id}"])
        }
        #expect(second?.routes == ["POST /orders/{id}"])
    }

    @Test("Routes after the middleware, in groups too, and unknown ones are guarded; exceptions are not")
    func guarded() async throws {
        let router = Self.router()
        try router.guardAllRoutes(
            with: EvidenceMiddleware(try TestAPI.live(), options: TestAPI.options()),
            except: ["GET /livez", "POST /orders/{id}"])
        router.get("stock") { _, _ in "full" }
        router.group("v1").get("stock") { _, _ in "full" }
        try await Application(router: router).test(.router) { client in
            for (path, status) in [("/livez", 200), ("/stock", 401), ("/v1/stock", 401), ("/nothing", 401)] {
                let found = try await client.execute(uri: path, method: .get) { Int($0.status.code) }
                #expect(found == status, "\(path)")
            }
        }
    }
}
