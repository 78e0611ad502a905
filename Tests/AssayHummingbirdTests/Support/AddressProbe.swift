import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore

/// The result of the address check for a token of 203.0.113.7.
enum AddressProbe {
    /// - Returns: whether the address is the one in the token; nil if unknown.
    static func annotated(
        _ live: ReloadableVerifier, _ options: EvidenceMiddlewareOptions, _ forwarded: [String]
    ) async throws -> Bool? {
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: try EvidenceMiddleware(live, app: "api", options: options))
        router.get("address") { _, context in
            let checks = context.judged?.verdict?.checks ?? []
            return checks.first { $0.check == CheckID.approovTokenAddress }?.status.rawValue ?? "absent"
        }
        var fields: HTTPFields = [
            .approovToken: try TestAPI.token([JSONItem.Member("ip", "203.0.113.7")])
        ]
        for value in forwarded { fields.append(HTTPField(name: .forwardedFor, value: value)) }
        let sent = fields
        // Without a live server the peer has no address.
        return try await Application(router: router).test(.router) { client in
            try await client.execute(uri: "/address", method: .get, headers: sent) { response in
                switch String(buffer: response.body) {
                case "passed": true
                case "annotated": false
                default: nil
                }
            }
        }
    }
}
