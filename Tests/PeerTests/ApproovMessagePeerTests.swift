import Approov
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

@Suite(
    "Signed messages, ours and those of http-message-signatures",
    .enabled(if: Peer.isDemanded, Comment(rawValue: Peer.hint)), .serialized)
struct ApproovMessagePeerTests {
    private let peer: Peer
    private let keys: ApproovTestKeys
    private let token: String

    init() throws {
        peer = try Peer()
        keys = try ApproovTestKeys()
        var claims = ApproovClaimsBlueprint(expiresAt: Date(timeIntervalSinceNow: 240))
        claims.allowMessages(with: keys)
        token = try ApproovTokenBlueprint(keys: keys, claims: claims).mint().token
    }

    private enum Signer: CaseIterable {
        case installation
        case account
    }

    private func signer(_ signer: Signer) -> ApproovMessageBlueprint.Signer {
        switch signer {
        case .installation: .installation(keys.installationKey)
        case .account: .account(keys.messageKey)
        }
    }

    private func ours(_ signer: Signer) throws -> OurApproov {
        try OurApproov(
            "HS256", .secret(keys.secret),
            signing: MessageSigning(signer: signer == .account ? .account : .installation),
            messageKey: (keys.messageKeyID, keys.messageKey))
    }

    /// The key as the peer verifies with it.
    private func verification(_ signer: Signer) -> Peer.Key {
        switch signer {
        case .installation:
            .pem(
                "-----BEGIN PUBLIC KEY-----\n\(Data(keys.installationPublicKey).base64EncodedString())\n"
                    + "-----END PUBLIC KEY-----\n")
        case .account: .secret(keys.messageKey)
        }
    }

    private func signing(_ signer: Signer) -> Peer.Key {
        signer == .account ? .secret(keys.messageKey) : .pem(keys.installationKey.pem)
    }

    /// Requests with odd queries, repeated fields, odd white space, and fields that are empty.
    private func blueprint(_ signer: Signer) -> ApproovMessageBlueprint {
        let targets = [
            "https://api.example.com/v1/items?a=1&b=2", "https://api.example.com/",
            "https://API.Example.com:443/a//b/../c",
            "http://example.com:8080/?", "https://example.com/%7Euser/%e9?q=%20+%2B&&=&x",
            "https://[2001:db8::1]:8443/p?",
            "https://example.com/a;b=c?d=e;f", "https://example.com/~!$&'()*+,;=:@?/?!$&'()*+,;=:@",
        ]
        var blueprint = ApproovMessageBlueprint(
            method: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].randomElement() ?? "GET",
            targetURI: targets.randomElement() ?? "", token: token, signer: self.signer(signer), createdAt: Date())
        // The peer demands an ID of the key, which Approov's SDKs do not sign.
        blueprint.signing[parameter: "keyid"] = .string("k")
        blueprint.signing[parameter: "expires"] = blueprint.signing[parameter: "expires"].map { _ in
            .integer(Int64(Date().timeIntervalSince1970) + 45)
        }
        var names = ["@method", "@target-uri", "approov-token"]
        names += ["@authority", "@scheme", "@path", "@query", "@request-target"].filter { _ in Bool.random() }
        let values = ["x", "", " \tpadded\t ", "a,  b", "inner   space", "\"quoted\"", "tab\tinside"]
        for name in ["X-One", "x-two", "X-THREE"] where Bool.random() {
            for _ in 0..<Int.random(in: 1...3) {
                blueprint.fields.append(HTTPMessageParts.Field(name, values.randomElement() ?? ""))
            }
            names.append(name.lowercased())
        }
        if Bool.random() {
            blueprint.body = Samples.bytes(Int.random(in: 1...2000))
            blueprint.digests = [[.sha256], [.sha512], [.sha256, .sha512]].randomElement() ?? [.sha256]
            names.append("content-digest")
        }
        blueprint.signing.components = names.shuffled().map { SignatureComponent($0) }
        return blueprint
    }

    private func request(_ method: String, _ uri: String, _ fields: [HTTPMessageParts.Field], _ algorithm: String)
        -> [String: Any]
    {
        ["method": method, "uri": uri, "fields": fields.map { [$0.name, $0.value] }, "algorithm": algorithm]
    }

    /// Whether the peer takes a message, body and all.
    private func accepts(_ message: MintedApproovMessage, _ signer: Signer) throws -> Bool {
        var request = request(
            message.method, message.targetURI, message.fields, self.signer(signer).algorithm)
        request["body"] = Data(message.body).base64EncodedString()
        let answer = try peer.ask(["op": "verify-message", "message": request], verification(signer))
        if let labels = answer["result"] as? [String] {
            #expect(labels == [self.signer(signer).label])
            return true
        }
        guard answer["error"] is String else { throw Peer.Failure(description: "no answer: \(answer)") }
        return false
    }

    /// What any side must refuse.
    private func changes(of message: MintedApproovMessage) -> [MintedApproovMessage] {
        func changed(_ change: (inout MintedApproovMessage) -> Void) -> MintedApproovMessage {
            var copy = message
            change(&copy)
            return copy
        }
        var all = [
            changed { $0.method = $0.method == "GET" ? "POST" : "GET" }, changed { $0.targetURI += "&more" },
            changed { $0[field: "Approov-Token"] = token + "A" }, changed { $0[field: "Signature"] = nil },
            changed {
                $0[field: "Signature-Input"] = $0[field: "Signature-Input"]?.replacing(
                    "keyid=\"k\"", with: "keyid=\"l\"")
            },
            changed {
                $0[field: "Signature"] = $0[field: "Signature"].map { text in
                    let from = text.firstIndex(of: ":").map { text.index($0, offsetBy: 10) } ?? text.startIndex
                    return text.replacingCharacters(in: from...from, with: text[from] == "A" ? "B" : "A")
                }
            },
        ]
        if !message.body.isEmpty { all.append(changed { $0.body[0] ^= 1 }) }
        return all
    }

    @Test("the peer verifies our signatures, and both refuse changed ones", arguments: [true, false])
    func minted(isInstallation: Bool) throws {
        let signer = isInstallation ? Signer.installation : .account
        let ours = try ours(signer)
        for round in 0..<100 {
            let message = try blueprint(signer).mint()
            #expect(try ours.failures(of: message) == [], "\(message)")
            #expect(try accepts(message, signer), "\(message)")
            guard round < 15 else { continue }
            for change in changes(of: message) {
                #expect(try ours.failures(of: change) != [], "\(change)")
                #expect(try !accepts(change, signer), "\(change)")
            }
        }
    }

    @Test("our engine accepts signatures of the peer", arguments: [true, false])
    func made(isInstallation: Bool) throws {
        let signer = isInstallation ? Signer.installation : .account
        let ours = try ours(signer)
        for _ in 0..<50 {
            let blueprint = blueprint(signer)
            let now = Int64(Date().timeIntervalSince1970)
            var request = request(
                blueprint.method, blueprint.targetURI, blueprint.fields, self.signer(signer).algorithm)
            request["components"] = (blueprint.signing.components ?? []).map(\.name).filter { $0 != "content-digest" }
            request["label"] = blueprint.signing.label
            request["keyID"] = "k"
            request["created"] = "\(now)"
            request["expires"] = "\(now + 45)"
            if !blueprint.body.isEmpty { request["body"] = Data(blueprint.body).base64EncodedString() }
            let answer = try peer.ask(["op": "sign-message", "message": request], signing(signer))
            guard let lines = answer["result"] as? [[String]] else {
                throw Peer.Failure(description: "not signed: \(answer)")
            }
            var message = try blueprint.mint()
            message.fields = lines.map { HTTPMessageParts.Field($0[0], $0[1]) }
            #expect(try ours.failures(of: message) == [], "\(message)")
        }
    }

    /// The peer writes an empty path of @target-uri as `/`, where we sign the text that was given; Approov's clients sign
    /// URLs that have one.
    @Test("signature bases are the same, byte for byte")
    func bases() throws {
        for _ in 0..<300 {
            let blueprint = blueprint(.account)
            let message = try blueprint.mint()
            let created = String(Int64(Date().timeIntervalSince1970))
            let components = (blueprint.signing.components ?? [])
            var request = request(message.method, message.targetURI, message.fields, "hmac-sha256")
            request["components"] = components.map(\.name)
            request["label"] = "account"
            request["keyID"] = "k"
            request["created"] = created
            let answer = try peer.ask(["op": "signature-base", "message": request], .secret(keys.messageKey))
            let input = try SignatureInput(
                label: "account", components: components,
                parameters: [
                    StructuredParameter("created", .integer(Int64(created) ?? 0)),
                    StructuredParameter("keyid", .string("k")), StructuredParameter("alg", .string("hmac-sha256")),
                ])
            let base = try SignatureBase.build(
                for: input,
                of: HTTPMessageParts(method: message.method, targetURI: message.targetURI, fields: message.fields))
            #expect(
                try peer.bytes(answer).map { String(decoding: $0, as: UTF8.self) }
                    == String(decoding: base, as: UTF8.self),
                "\(answer)")
        }
    }

    @Test("digests of bodies are the same")
    func digests() throws {
        for algorithm in ContentDigest.Algorithm.allCases {
            for body in [[], [0], Samples.bytes(1), Samples.bytes(64), Samples.bytes(100_000)] {
                let answer = try peer.ask([
                    "op": "content-digest", "algorithm": algorithm.rawValue, "body": Data(body).base64EncodedString(),
                ])
                let value = try peer.made(answer)
                let read = try ContentDigest(Array(value.utf8)[...])
                #expect(read.values == ContentDigest(of: body[...], [algorithm]).values)
            }
        }
    }
}
