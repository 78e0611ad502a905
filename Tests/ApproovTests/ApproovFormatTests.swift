import Approov
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

@Suite("Inspection of Approov's blobs")
struct ApproovFormatTests {
    private static let time = Date(timeIntervalSince1970: 1_790_000_000)

    private static func inspect(_ text: String) -> InspectionLayer {
        Verifier.inspector.inspect(Array(text.utf8), name: "blob")
    }

    private static func keys() throws -> ApproovTestKeys { try ApproovTestKeys(seed: "inspection", label: "api") }

    private static func token(
        _ form: ApproovTokenBlueprint.Form = .signed, _ change: (inout ApproovClaimsBlueprint) throws -> Void = { _ in }
    ) throws -> MintedApproovToken {
        var blueprint = ApproovTokenBlueprint(keys: try keys(), claims: ApproovClaimsBlueprint(expiresAt: time))
        blueprint.form = form
        try change(&blueprint.claims)
        return try blueprint.mint()
    }

    /// Every annotation of a layer and of the layers inside it, by path.
    private static func flat(_ layer: InspectionLayer) -> [String: Annotation] {
        var found: [String: Annotation] = [:]
        func add(_ annotation: Annotation, _ path: String) {
            found[path] = annotation
            for child in annotation.children { add(child, path.isEmpty ? child.name : "\(path).\(child.name)") }
        }
        for annotation in layer.annotations { add(annotation, annotation.name == "document" ? "" : annotation.name) }
        for nested in layer.nested { found.merge(flat(nested)) { first, _ in first } }
        return found
    }

    /// All text shown for a layer and the layers inside it, without the bytes.
    private static func shown(_ layer: InspectionLayer) -> String {
        flat(layer).values.map { "\($0.value ?? "") \($0.meaning ?? "") \($0.violation ?? "")" }.joined(separator: "\n")
            + layer.nested.map(shown).joined()
    }

    @Test("The line that the SDK logs at its start is recognised with or without its tag, and reported as no evidence")
    func logLine() {
        let values = "test-account, com.criticalblue.demo, 2.5.0(2974), h4gubfCFzJu81j/U2BJsdg=="
        for line in [
            "2019-05-29 11:53:06.637 4997-4997/? I/Approov: \(values)", "Approov: \(values)\n", values,
        ] {
            let layer = Self.inspect(line)
            #expect(layer.format == "log line of Approov's SDK" && layer.violation == nil)
            let found = Self.flat(layer)
            #expect(found["deviceId"]?.value == "h4gubfCFzJu81j/U2BJsdg==")
            #expect(found["account"]?.value == "test-account" && found["sdk"]?.value == "2.5.0(2974)")
            #expect(layer.unknown.contains { $0.contains("is no evidence") })
        }
        for line in [
            "test-account, com.criticalblue.demo, 2.5.0(2974), h4gubfCFzJu81j/U2BJsdg", "a, b.c, 2.5, d",
            "\(values), more", values.replacing(",", with: ";"),
        ] {
            #expect(Self.inspect(line).format != "log line of Approov's SDK", "\(line)")
        }
    }

    @Test("Every claim is explained, annotations are described, and the installation key is decoded")
    func claims() throws {
        let keys = try Self.keys()
        let minted = try Self.token { claims in
            claims.bind(to: ["custom-data"])
            claims.allowMessages(with: keys)
            claims[.annotations] = .array([.text("rooted"), .text("brand-new")])
            claims.json["shoe"] = .text("left")
        }
        let layer = Self.inspect(minted.token)
        #expect(layer.format == "Approov token" && layer.violation == nil && layer.alternatives.isEmpty)
        #expect(layer.annotations.map(\.name) == ["protected header", "payload", "signature"])
        let inner = try #require(layer.nested.first)
        #expect(inner.format == "claims of an Approov token" && inner.violation == nil)
        #expect(inner.nested.map(\.format) == ["public key"])
        let table: [(path: String, meaning: String)] = [
            ("exp", "expires: 2026-09-21T14:13:20Z, Monday 21 September 2026"), ("did", "the device ID"),
            ("arc", "what support looks up"), ("ip", "a signal only"), ("mskid", "the account's key"),
            ("pay", "in hexadecimal b6287ec51"), ("anno.[0]", "is rooted"),
            ("anno.[1]", "not known here; the list grows"),
            ("ipk", "the installation's public key"), ("shoe", "not one of Approov's claims"),
        ]
        let found = Self.flat(inner)
        for entry in table {
            let meaning = found[entry.path]?.meaning
            #expect(meaning?.contains(entry.meaning) == true, "\(entry.path): \(meaning ?? "none")")
        }
        #expect(layer.unknown.first?.contains("whether Approov signed it") == true)
    }

    @Test("Approov tokens of every form are recognised; other tokens are not")
    func recognition() throws {
        let failover = try ApproovTokenBlueprint(keys: Self.keys(), claims: .failover(expiresAt: Self.time)).mint()
        let longLived = try ApproovTokenBlueprint(
            keys: Self.keys(), claims: .longLived(issuer: "batch", expiresAt: Self.time)
        ).mint()
        let table: [(text: String, format: String?)] = [
            (try Self.token(.encrypted).token, "Approov token"), (try Self.token(.signedES256).token, "Approov token"),
            (failover.token, "Approov token"), ("\n\(failover.token)\r\n", "Approov token"),
            (try Self.token().loggable, "Approov loggable token"),
            (#"{"error": "POOR_NETWORK"}"#, "Approov loggable token"), (#"{"error": "JWE"}"#, "Approov loggable token"),
            (#"{"error": "no"}"#, "JSON document"), ("NO_APPROOV_SERVICE\n", "Approov status word"),
            ("REJECTED", "Approov status word"), ("SOMETHING_ELSE", nil),
            (longLived.token, "JWS in compact serialisation (signed JWT)"),
            (#"{"did":"h4gubfCFzJu81j/U2BJsdg==","exp":1,"ip":""}"#, "claims of an Approov token"),
            (#"{"did":"did:example:123","exp":1}"#, "JWT claims"), (#"{"pay":"monthly","exp":1}"#, "JWT claims"),
            (#"{"imh":"x"}"#, "measurements of an Approov token"),
        ]
        for entry in table {
            #expect(Self.inspect(entry.text).format == entry.format, "\(entry.text.prefix(60))")
        }
    }

    @Test(
        "Strict decoding stops at a claim of a wrong type; a loggable token shows its six signature characters"
    )
    func violations() throws {
        let claims = Self.inspect(#"{"did":"h4gubfCFzJu81j/U2BJsdg==","arc":"ABCDEF","exp":"1"}"#)
        #expect(claims.violation?.reason == .unexpectedType && Self.flat(claims)["exp"]?.violation != nil)
        let loggable = try Self.inspect(Self.token().loggable)
        #expect(loggable.violation == nil && Self.flat(loggable)["sip"]?.meaning?.contains("six characters") == true)
        let short = Self.inspect(#"{"exp":1776795192,"sip":"Ab-_1"}"#)
        #expect(short.format == "Approov loggable token" && short.violation?.reason == .unexpectedLength)
        #expect(Self.inspect("NO_NETWORK").violation?.reason == .unexpectedValue)
    }

    @Test("Keys and measurements of proofs are never shown: alone, in claims, in tokens and in records")
    func measurements() throws {
        let measurements = ApproovTestMeasurements(seed: "inspection", label: "app")
        let minted = try Self.token { $0.measure(measurements) }
        let proof = ApproovProofBlueprint(integrityOf: measurements, nonce: [UInt8](0..<16))
        var held = proof
        held.source = .token(minted.token)
        let secrets = [measurements.proofKey, measurements.integrity, measurements.device].map { Data($0 ?? []) }
        func base64(_ index: Int) -> String { secrets[index].base64EncodedString() }
        let texts = [
            minted.token, String(decoding: minted.claims, as: UTF8.self), minted.loggable,
            #"{"mpk": "\#(base64(0))", "imh": "\#(base64(1))", "dmh": "\#(base64(2))"}"#,
            proof.record(id: "1", receivedAt: Self.time).json, held.record(id: "2", receivedAt: Self.time).json,
        ]
        for text in texts {
            let layer = Self.inspect(text)
            #expect(!layer.secrets.isEmpty, "\(text.prefix(40))")
            let shown = Self.shown(layer)
            for (index, secret) in secrets.enumerated() {
                let hex = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                #expect(
                    !shown.contains(base64(index).prefix(16)) && !shown.contains(hex.prefix(16)), "\(text.prefix(40))")
            }
            #expect(!shown.contains(Data(minted.claims).base64EncodedString().prefix(300).suffix(40)))
        }
    }

    @Test("A record's token is decoded as a token, as a status word, or as unknown text")
    func fields() throws {
        for (token, name) in [
            (try Self.token().token, "protected header"), (try Self.token(.encrypted).token, "protected header"),
            ("NO_NETWORK", "status"), ("hello, world, it is me", "text"),
        ] {
            let record = ApproovTokenInput(token: token)
            let layer = Self.inspect(EvidenceRecord(record, receivedAt: Self.time).json)
            let inner = try #require(layer.nested.first)
            #expect(inner.format == "Approov token" && inner.annotations.first?.name == name, "\(token.prefix(40))")
        }
    }

    /// A signed request as a proxy saves it, with `body` in place of the signed body.
    private static func request(body: String = "hello", signed: String = "hello") throws -> String {
        let keys = try keys()
        var blueprint = ApproovMessageBlueprint(
            method: "POST", targetURI: "https://api.example.com/v1",
            token: try token { $0.allowMessages(with: keys) }.token, signer: .installation(keys.installationKey),
            createdAt: time)
        blueprint.body = Array(signed.utf8)
        let minted = try blueprint.mint()
        var lines = ["POST /v1 HTTP/1.1", "Host: api.example.com", "Content-Length: \(body.utf8.count)"]
        lines += minted.fields.map { "\($0.name): \($0.value)" }
        return (lines + ["", ""]).joined(separator: "\r\n") + body
    }

    @Test("A signed request shows covered components, whether the digest matches the body, and the signature base")
    func request() throws {
        let layer = try Self.inspect(Self.request())
        #expect(layer.format == "signed HTTP request" && layer.violation == nil)
        let found = Self.flat(layer)
        #expect(found["request.Signature-Input.install"]?.meaning?.contains("ipk in the token") == true)
        #expect(found["request.Signature-Input.install.created"]?.meaning?.hasPrefix("2026-09-21T14:13:20Z") == true)
        #expect(found["request.Signature.install"]?.meaning == "64 bytes")
        #expect(found["request.Content-Digest.sha-256"]?.meaning == "the digest of the body")
        #expect(found["request.signature base of install.\"@target-uri\""]?.value == "https://api.example.com/v1")
        #expect(found["request.signature base of install.\"approov-token\""]?.value == "(not shown)")
        #expect(layer.nested.contains { $0.format == "Approov token" })
        // The token of the request is only partly shown.
        let token = try Self.token { $0.allowMessages(with: try Self.keys()) }.token
        let signature = try #require(token.split(separator: ".").last)
        #expect(!Self.shown(layer).contains(signature.prefix(20)))
        let changed = Self.flat(try Self.inspect(Self.request(body: "hellO")))
        #expect(changed["request.Content-Digest.sha-256"]?.violation?.contains("not the digest of the body") == true)
        let cut = try Self.inspect(Self.request() + "\n")
        #expect(cut.format == "signed HTTP request" && cut.violation?.reason == .trailingBytes)
    }

    @Test("A record of a request shows its fields and the content of its token, and no complete credential")
    func messageRecord() throws {
        let token = try Self.token().token
        let input = ApproovMessageInput(
            method: "GET", targetURI: "https://api.example.com/",
            fields: [
                ApproovMessageInput.Field("Approov-Token", token),
                ApproovMessageInput.Field("Authorization", "Bearer 5ecret5ecret5ecret5ecret5ecret5ecret"),
                ApproovMessageInput.Field("X-Plain", "nothing to hide in here"),
            ], body: .bytes([]))
        let layer = try Self.inspect(EvidenceRecord(input, receivedAt: Self.time).json)
        let fields = try #require(layer.nested.first { $0.format == "fields of an HTTP request" })
        #expect(fields.annotations.map(\.name) == ["Approov-Token", "Authorization", "X-Plain"])
        #expect(fields.annotations.last?.value == "nothing to hide in here")
        #expect(fields.nested.map(\.format) == ["Approov token"])
        let signature = try #require(token.split(separator: ".").last)
        let shown = Self.shown(layer)
        #expect(!shown.contains("5ecret5ecret") && !shown.contains(signature.prefix(20)))
    }

    @Test("Tokens, status words and signed requests become records; claims alone do not")
    func records() throws {
        let table: [(text: String, kind: String?, fields: [String])] = [
            (" \(try Self.token().token)\n", "approov.token", ["token"]),
            (try Self.token(.encrypted).token, "approov.token", ["token"]),
            (try Self.token().loggable, "approov.token", ["loggable"]),
            ("NO_NETWORK\n", "approov.token", ["token"]),
            (try Self.request(), "approov.message", ["method", "targetURI", "headers", "body"]),
            (String(decoding: try Self.token().claims, as: UTF8.self), nil, []),
        ]
        for entry in table {
            let layer = Self.inspect(entry.text)
            let record = Verifier.inspector.record(of: layer)
            #expect(record?.kind.name == entry.kind && record?.evidence.members.map(\.name) ?? [] == entry.fields)
        }
        let cut = try Self.inspect(Self.request() + "\n")
        #expect(
            Verifier.inspector.record(of: cut) == nil && Verifier.inspector.kind(of: cut)?.name == "approov.message")
    }
}
