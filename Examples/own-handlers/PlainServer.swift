import AssayHTTP
import HTTPTypes
import Logging

/// A handler without Hummingbird: it gets the head, the body and the peer from a server such as Vapor or one on plain SwiftNIO.
struct PlainServer {
    let guarding: EvidenceGuard
    let logger = Logger(label: "shop")

    init(_ verifier: ReloadableVerifier, origin: String) throws {
        let options = EvidenceGuard.Options(origins: try ServerOrigins(origin))
        guarding = try EvidenceGuard(verifier, app: "shop-ios", options: options)
    }

    /// What the server answers.
    func answer(
        _ request: HTTPRequest, body: [UInt8], peer: String?, account: String?
    ) async -> (head: HTTPResponse, body: [UInt8]) {
        switch await guarding.judge(request, body: body, peer: peer, account: account, logger: logger) {
        case .pass(let judged): (HTTPResponse(status: .ok), Array(confirmation(judged).utf8))
        case .refuse(let refusal): (HTTPResponse(status: refusal.status, headerFields: refusal.fields), refusal.body)
        }
    }
}
