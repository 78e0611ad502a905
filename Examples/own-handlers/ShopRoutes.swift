import Assay
import AssayHummingbird
import Foundation
import Hummingbird

/// Routes that issue challenges and enrol keys, and one whose requests the middleware judges.
func shopRouter(
    _ live: ReloadableVerifier, origin: String, account: @escaping @Sendable (String) -> String?
) throws -> Router<ShopContext> {
    let router = Router(context: ShopContext.self)
    router.add(middleware: ErrorAnswers())
    router.add(middleware: Sessions(account: account))
    router.post("challenges") { _, _ in
        try await live.verifier.issueChallenge(app: "shop-ios", for: .appAttestAttestation, at: Date()).text
    }
    router.post("keys") { request, context in
        let key = try await request.decode(as: NewKey.self, context: context)
        let input = AttestationInput(
            keyID: key.keyID, attestation: key.attestation, clientData: .data(Array(key.challenge.utf8)))
        // Taken once: one policy judges the whole request.
        let verifier = live.verifier
        let verdict = try await verifier.verify(
            input, app: "shop-ios", account: context.account, at: Date())
        context.logger.info("\(verdict)")
        return EvidenceAnswer(verdict).response
    }
    let options = EvidenceMiddlewareOptions(origins: try ServerOrigins(origin))
    router.group("orders")
        .add(middleware: try EvidenceMiddleware(live, app: "shop-ios", options: options))
        .post { _, context in confirmation(context.judged) }
    return router
}

/// What the app sends to enrol a key; binary as base64.
struct NewKey: Codable {
    let keyID: Data
    let attestation: Data
    let challenge: String
}

/// What an order answers, apart from the server so that a test can call it.
func confirmation(_ judged: JudgedRequest?) -> String {
    guard let judged, judged.isAccepted, let key = judged.verdict?.appAttest?.keyID else { return "no order" }
    return "ordered by \(Data(key).base64EncodedString())"
}
