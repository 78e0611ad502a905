import AssayPrimitives
import AssayTesting
import Foundation

/// Signed HTTP messages against another implementation of RFC 9421.
struct PeerMessagesSection: Section {
    let name = "peer-messages"
    let title = "Signed messages, against http-message-signatures"
    let note = """
        Sixteen requests with a body and its digest, signed with ECDSA on P-256, the same for all, in the same run by turns. \
        Ours also verifies the token that brings the key, and checks that it is the key of the message. Processor time, one \
        thread or process each.
        """

    private struct Subject: Encodable {
        struct Item: Encodable {
            let method: String
            let uri: String
            let fields: [[String]]
            let body: Data
            let publicKey: Data
        }
        let items: [Item]
    }

    func figures(_ pace: Pace) async throws -> [Figure] {
        let messages = try ApproovMessageSubject(now: Date(), isLasting: true)
        let peers = try PeerProcess()
        let subject = Subject(
            items: messages.minted.map { request, publicKey in
                Subject.Item(
                    method: request.method, uri: request.targetURI,
                    fields: request.headers.map { [$0.name, $0.value] },
                    body: Data(request.body), publicKey: Data(publicKey))
            })
        let name = "http-message-signatures"
        return try await Race(pace: pace).figures(
            .thread("signed message with a body", messages.assessWrites),
            against: [
                .peer(
                    try await peers.contender(name, name, job: "message", subject: subject),
                    leavesOut: """
                        the token that brings the key, its claims, and that it is this key; which components have to be \
                        signed, unless the caller names them; replays. Demands a `keyid`, which Approov's SDKs do not send.
                        """)
            ])
    }
}
