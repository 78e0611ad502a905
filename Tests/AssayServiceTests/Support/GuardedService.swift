import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// A service that gateways ask, with the apps `shop`, whose requests carry assertions, `api`, whose requests carry tokens, and `old`, whose
/// devices have no evidence.
enum GuardedService {
    static let origin = "https://api.example.com"
    static let secret = [UInt8](repeating: 0x5A, count: 64)

    /// Writes a policy with the apps, the route `any` of them, and `all` of the first two.
    static func writePolicy(
        to folder: TestFolder, body: String = "verified", enforcement: String = "reject", ofRequests: String? = nil
    ) throws {
        try folder.write("approov.b64", Base64.encode(secret, .standard))
        try #require(chmod(folder.path("approov.b64"), 0o600) == 0)
        let text = try String(contentsOfFile: folder.path("policy.yaml"), encoding: .utf8)
        let (head, apps) = ("version: 1\n", text.dropFirst("version: 1\n".count))
        try folder.write(
            "policy.yaml",
            head + """
                keys:
                  - { name: now, use: approov, secret: "file:approov.b64" }

                """
                + apps.replacingOccurrences(
                    of: "      challenge: caller\n",
                    with:
                        "      challenge: caller\n      requests: { body: \(body), enforcement: \(ofRequests ?? enforcement) }\n"
                )
                    + """
                      - name: api
                        approov: { keys: [now], binding: [Authorization], failover: reject, enforcement: \(enforcement) }
                      - name: old
                        noEvidence: { reasons: [unsupported] }
                    routes:
                      - name: any
                        require: any
                        evidence: [{ app: shop }, { app: api }, { app: old, kind: none }]
                      - name: all
                        require: all
                        evidence: [{ app: shop, kind: app-attest.request }, { app: api }]

                    """)
    }

    static func start(
        _ dialect: String, _ settings: [String] = [], body: String = "verified", enforcement: String = "reject",
        ofRequests: String? = nil, peers: String = "127.0.0.1"
    ) throws -> RunningService {
        let all =
            ["authorize.dialect=\(dialect)", "authorize.peers=\(peers)", "authorize.origins=\(origin)"] + settings
        return try RunningService(all, isOpen: false) { folder in
            try writePolicy(to: folder, body: body, enforcement: enforcement, ofRequests: ofRequests)
        }
    }

    static func token(authorization: String? = nil, secret: [UInt8] = secret) throws -> String {
        var claims: [JSONItem.Member] = [
            JSONItem.Member("exp", .integer(Int(Date().timeIntervalSince1970) + 3000)),
            JSONItem.Member("did", "h4gubfCFzJu81j/U2BJsdg=="), JSONItem.Member("arc", "ABCDEF"),
        ]
        if let authorization {
            let digest = Base64.encode(Digest.sha256(Array(authorization.utf8)), .standard)
            claims.append(JSONItem.Member("pay", .text(digest)))
        }
        return try JWSBlueprint(payload: JSONItem.object(claims).encoded, signer: .hs256(secret)).mint()
    }

    /// The fields of a signed request.
    static func signed(
        _ method: String, _ target: String, counter: UInt32, body: String = "", digest: Bool = true
    ) throws -> [String] {
        var blueprint = SignedRequestBlueprint(
            method: method, targetURI: origin + target,
            evidence: .assertion(Evidence.key, appID: Evidence.appID, counter: counter), createdAt: Date())
        blueprint.body = Array(body.utf8)
        if !digest { blueprint.body = [] }
        return try blueprint.mint().headers.map { "\($0.name): \($0.value)" }
    }

    /// Registers the key of the phone.
    static func enrol(_ service: RunningService) throws {
        let record = try Evidence.attestation("enrol")
        try service.folder.write("record.json", record)
        let result = try service.assay(
            "verify", "--policy", service.folder.path("policy.yaml"), "--ledger",
            "sqlite:\(service.folder.path("ledger.sqlite"))", "--account", "alice", service.folder.path("record.json"))
        try #require(result.status == 0, "\(result.output)")
    }
}
