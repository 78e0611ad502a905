import AssayCore
import AssayTesting
import FoundationEssentials

extension ApproovVectorMint {
    private typealias Evidence = (id: String, kind: String, fields: [(String, RecordValue.Content)])

    /// Records without a verdict: reading them is an error of their author.
    func unreadable() throws(MintingError) -> [VectorDraft] {
        let all = try tokens() + messages() + proofRecords()
        return all.map { evidence in
            let app =
                switch evidence.id {
                case "token-unknown-app": "nobody"
                case "message-of-an-app-without-signatures": "api"
                default: evidence.kind == "message" ? "signed" : "api"
                }
            let record = EvidenceRecord(
                id: evidence.id, kind: EvidenceKind("approov.\(evidence.kind)"), app: app, receivedAt: time,
                evidence: RecordObject(evidence.fields), expect: nil)
            return VectorDraft(unreadable: evidence.id, record.json)
        } + (try texts())
    }

    private func list(_ contents: RecordValue.Content...) -> RecordValue.Content {
        .array(contents.map { RecordValue($0, offset: 0) })
    }

    private func tokens() throws(MintingError) -> [Evidence] {
        let minted = try token("unreadable").mint()
        let token = ("token", RecordValue.Content.text(minted.token))
        let loggable = ("loggable", RecordValue.Content.text(minted.loggable))
        return [
            ("token-missing", "token", []), ("token-and-loggable", "token", [token, loggable]),
            ("token-null", "token", [("token", .null)]), ("token-as-list", "token", [("token", list(token.1))]),
            ("token-with-unknown-field", "token", [token, ("secret", .text("AA"))]),
            ("token-binding-as-text", "token", [token, ("binding", .text("x"))]),
            ("token-binding-of-numbers", "token", [token, ("binding", list(.number("1")))]),
            ("token-binding-of-nulls", "token", [token, ("binding", list(.null))]),
            ("token-address-as-number", "token", [token, ("address", .number("1"))]),
            ("token-address-of-65-bytes", "token", [token, ("address", .text(String(repeating: "1", count: 65)))]),
            ("loggable-as-object", "token", [("loggable", .object(RecordObject([("sip", .text("AAAAAA"))])))]),
            ("token-unknown-kind", "ticket", [token]), ("token-unknown-app", "token", [token]),
        ]
    }

    private func messages() throws(MintingError) -> [Evidence] {
        let method = ("method", RecordValue.Content.text("GET"))
        let uri = ("targetURI", RecordValue.Content.text(Self.targetURI))
        func headers(_ content: RecordValue.Content) -> [(String, RecordValue.Content)] {
            [method, uri, ("headers", content)]
        }
        let good = headers(list(list(.text("Approov-Token"), .text("x"))))
        return [
            ("message-without-method", "message", Array(good.dropFirst())),
            ("message-without-uri", "message", [good[0], good[2]]),
            ("message-without-headers", "message", [method, uri]),
            ("message-headers-as-object", "message", headers(.object(RecordObject([("Approov-Token", .text("x"))])))),
            ("message-header-of-one", "message", headers(list(list(.text("Approov-Token"))))),
            ("message-header-of-three", "message", headers(list(list(.text("a"), .text("b"), .text("c"))))),
            ("message-header-of-number", "message", headers(list(list(.text("Age"), .number("1"))))),
            ("message-header-as-text", "message", headers(list(.text("Age: 1")))),
            ("message-body-no-base64", "message", good + [("body", .text("{}"))]),
            ("message-body-as-object", "message", good + [("body", .object(RecordObject([])))]),
            ("message-with-unknown-field", "message", good + [("token", .text("x"))]),
            ("message-of-an-app-without-signatures", "message", good),
        ]
    }

    private func proofRecords() throws(MintingError) -> [Evidence] {
        let nonce = ("nonce", RecordValue.Content.base64(nonce("unreadable")))
        let proof = ("proof", RecordValue.Content.base64(bytes("proof", count: 32)))
        let measurements = ("measurements", measurements.recordContent)
        func measured(_ fields: [(String, RecordValue.Content)]) -> (String, RecordValue.Content) {
            ("measurements", .object(RecordObject(fields)))
        }
        return [
            ("proof-without-nonce", "proof", [proof, measurements]),
            ("proof-without-proof", "proof", [nonce, measurements]),
            ("proof-without-measurements", "proof", [nonce, proof]),
            ("proof-with-token-and-sealed", "proof", [nonce, proof, ("token", .text("x")), ("sealed", .text("x"))]),
            ("proof-with-both", "proof", [nonce, proof, measurements, ("token", .text("x"))]),
            ("proof-nonce-no-base64", "proof", [("nonce", .text("no base64!")), proof, measurements]),
            ("proof-key-of-15", "proof", [nonce, proof, measured([("mpk", .base64(bytes("k", count: 15)))])]),
            ("proof-key-no-base64", "proof", [nonce, proof, measured([("mpk", .text("-"))])]),
            ("proof-measurement-unknown", "proof", [nonce, proof, measured([("xyz", .text(""))])]),
            ("proof-of-something-else", "proof", [nonce, proof, measurements, ("measurement", .text("battery"))]),
        ]
    }

    /// Texts that ``EvidenceRecord/json`` never writes, and a record that matches several apps.
    private func texts() throws(MintingError) -> [VectorDraft] {
        let minted = try token("unreadable").mint()
        let json = minted.record(id: "token-twice", app: "api", receivedAt: time).json
        return try VectorDraft.unreadable([
            ("token-twice", json, "\"token\": ", "\"token\": \"\",\n    \"token\": ")
        ]) + [
            VectorDraft(unreadable: "token-without-app", minted.record(id: "token-without-app", receivedAt: time).json)
        ]
    }
}
