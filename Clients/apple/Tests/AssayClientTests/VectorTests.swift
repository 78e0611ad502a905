import Foundation
import Testing

@testable import AssayClient

/// The vectors of the state machines, in the repository of Assay; a copy of the package alone has none.
enum Vectors {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../TestVectors/client").standardized

    static var exist: Bool { FileManager.default.fileExists(atPath: folder.path) }

    static func read(_ name: String) throws -> [[String: Any]] {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }
}

@Suite(
    .enabled(if: Vectors.exist || ProcessInfo.processInfo.environment["CI"] == "true", "TestVectors/client is missing"))
struct VectorTests {
    /// Each kit gives the actions and the record of the reference model, at each step.
    @Test func enrolment() throws {
        var steps = 0
        for vector in try Vectors.read("enrolment.ndjson") {
            let name = vector["name"] as? String ?? ""
            var expected: [String: Any] = [:]
            var model = try machine(vector["settings"], record: expected)
            for (index, step) in (vector["steps"] as? [[String: Any]] ?? []).enumerated() {
                if let settings = step["restart"] {
                    model = try machine(settings, record: expected)
                    continue
                }
                let event = try JSONEvent(try #require(step["event"] as? [String: Any])).enrolment()
                let actions = model.step(
                    event, now: try #require(step["now"] as? Int), jitter: step["jitter"] as? Int ?? 0)
                let found = actions.map { NSDictionary(dictionary: json($0)) }
                let wanted = (step["actions"] as? [[String: Any]] ?? []).map { NSDictionary(dictionary: $0) }
                try #require(found == wanted, "\(name), step \(index)")
                for (field, value) in step["record"] as? [String: Any] ?? [:] { expected[field] = value }
                try #require(try model.record == record(expected), "\(name), step \(index)")
                steps += 1
            }
        }
        #expect(steps > 1000)
    }

    /// The cache of tokens too.
    @Test func tokens() throws {
        var steps = 0
        for vector in try Vectors.read("tokens.ndjson") {
            var model = TokenModel()
            for (index, step) in (vector["steps"] as? [[String: Any]] ?? []).enumerated() {
                let event = try JSONEvent(try #require(step["event"] as? [String: Any])).tokens()
                let actions = model.step(
                    event, now: try #require(step["now"] as? Int), jitter: step["jitter"] as? Int ?? 0)
                let found = actions.map { NSDictionary(dictionary: json($0)) }
                let wanted = (step["actions"] as? [[String: Any]] ?? []).map { NSDictionary(dictionary: $0) }
                try #require(found == wanted, "\(vector["name"] ?? ""), step \(index)")
                steps += 1
            }
        }
        #expect(steps > 300)
    }

    private func machine(_ settings: Any?, record: [String: Any]) throws -> ClientModel {
        let settings = settings as? [String: Any] ?? [:]
        return ClientModel(
            record: try self.record(record), process: settings["process"] as? String ?? "p1",
            keysADay: settings["keysADay"] as? Int ?? 3, keyHasChallenge: settings["keyHasChallenge"] as? Bool ?? false)
    }

    /// A field that the record of this kit does not have fails the test.
    private func record(_ fields: [String: Any]) throws -> ClientRecord {
        let known: Set = [
            "phase", "key", "challenge", "challengeFrom", "challengeEnds", "evidence", "keysMade", "failures",
            "notBefore",
            "cause", "code", "halt", "haltApp", "haltSystem", "offset", "installation", "owner", "leaseEnds",
        ]
        #expect(Set(fields.keys).subtracting(known) == [])
        return try ClientRecord(json: JSONSerialization.data(withJSONObject: fields))
    }
}

/// An event of a vector.
struct JSONEvent {
    let fields: [String: Any]

    init(_ fields: [String: Any]) { self.fields = fields }

    private func text(_ name: String) throws -> String { try #require(fields[name] as? String, "\(name)") }
    private func number(_ name: String) throws -> Int { try #require(fields[name] as? Int, "\(name)") }
    private var code: String? { fields["code"] as? String }
    private var date: Int? { fields["date"] as? Int }
    private var retryAfter: Int? { fields["retryAfter"] as? Int }
    private func remedy() throws -> Remedy? {
        try (fields["remedy"] as? String).map { try #require(Remedy(rawValue: $0)) }
    }
    private func kind() throws -> PlatformClass { try #require(PlatformClass(rawValue: text("class"))) }
    private func call() throws -> ClientModel.Call { try #require(ClientModel.Call(rawValue: text("call"))) }

    private func failure() throws -> ClientModel.Failure {
        .init(
            cause: try text("cause"), code: code, remedy: try remedy(), retryAfter: retryAfter,
            sent: fields["sent"] as? Bool ?? false)
    }

    func enrolment() throws -> ClientModel.Event {
        switch try text("type") {
        case "start":
            let reason = try (fields["unsupported"] as? [String: Any]).map {
                UnsupportedReason(reason: try #require($0["reason"] as? String), code: $0["code"] as? String)
            }
            return .start(
                app: try text("app"), system: try text("system"), installation: try text("installation"),
                unsupported: reason)
        case "need": return .need(op: try text("op"), fresh: fields["fresh"] as? Bool ?? false)
        case "cancel": return .cancel(op: try text("op"))
        case "prefetch": return .prefetch
        case "wake": return .wake(network: fields["network"] as? Bool ?? false)
        case "reload":
            let record = try JSONSerialization.data(withJSONObject: try #require(fields["record"] as? [String: Any]))
            return .reload(try ClientRecord(json: record))
        case "storageFailed": return .storageFailed()
        case "challenge":
            return .challenge(turn: try number("turn"), value: try text("value"), life: try number("life"), date: date)
        case "keyMade": return .keyMade(turn: try number("turn"), key: try text("key"))
        case "attested": return .attested(turn: try number("turn"), evidence: try text("evidence"))
        case "platformFailed":
            return .platformFailed(
                turn: try number("turn"), call: fields["call"] is String ? try call() : nil, try kind(),
                code: try text("code"))
        case "callFailed": return .callFailed(turn: try number("turn"), call: try call(), try failure(), date: date)
        case "enrolled": return .enrolled(turn: try number("turn"), date: date)
        case "refused":
            return .refused(
                turn: try number("turn"), remedy: try #require(try remedy()), code: code, retryAfter: retryAfter,
                date: date)
        case "requestChallenge": return .requestChallenge(op: try text("op"), value: try text("value"), date: date)
        case "requestChallengeFailed": return .requestChallengeFailed(op: try text("op"), try failure(), date: date)
        case "signed": return .signed(op: try text("op"))
        case "signFailed": return .signFailed(op: try text("op"), try kind(), code: try text("code"))
        case "judged": return .judged(op: try text("op"), date: date)
        case "rejected":
            return .rejected(
                op: try text("op"), remedy: try #require(try remedy()), code: code, retryAfter: retryAfter, date: date)
        case "sendFailed": return .sendFailed(op: try text("op"), try failure(), date: date)
        case "forget": return .forget
        default: throw UnknownEvent(type: try text("type"))
        }
    }

    func tokens() throws -> TokenModel.Event {
        switch try text("type") {
        case "need": .need(op: try text("op"))
        case "done": .done(op: try text("op"))
        case "prefetch": .prefetch
        case "refused": .refused(op: try text("op"))
        case "fetched": .fetched(turn: try number("turn"), token: try text("token"), life: try number("life"))
        case "fetchFailed": .fetchFailed(turn: try number("turn"), try failure())
        case "network": .network
        case "forget": .forget
        default: throw UnknownEvent(type: try text("type"))
        }
    }

    struct UnknownEvent: Error {
        let type: String
    }
}

/// Actions in the words of the vectors, which leave out what is nil or false.
private func json(_ action: ClientModel.Action) -> [String: Any] {
    func fields(_ name: String, _ pairs: [String: Any?]) -> [String: Any] {
        pairs.compactMapValues { $0 }.merging(["action": name]) { $1 }
    }
    return switch action {
    case .getChallenge(let turn): fields("getChallenge", ["turn": turn])
    case .makeKey(let turn, let challenge): fields("makeKey", ["turn": turn, "challenge": challenge])
    case .attest(let turn, let key, let challenge):
        fields("attest", ["turn": turn, "key": key, "challenge": challenge])
    case .submit(let turn, let key, let challenge, let evidence):
        fields("submit", ["turn": turn, "key": key, "challenge": challenge, "evidence": evidence])
    case .deleteKey(let key): fields("deleteKey", ["key": key])
    case .getRequestChallenge(let op): fields("getRequestChallenge", ["op": op])
    case .sign(let op, let key, let created, let nonce):
        fields("sign", ["op": op, "key": key, "created": created, "nonce": nonce])
    case .send(let op): fields("send", ["op": op])
    case .sendWithoutEvidence(let op, let reason, let code):
        fields("sendWithoutEvidence", ["op": op, "reason": reason, "code": code])
    case .done(let op): fields("done", ["op": op])
    case .fail(let op, let failure): fields("fail", json(failure).merging(["op": op]) { $1 })
    case .wait(let until): fields("wait", ["until": until])
    case .report(let phase, let halt): fields("report", ["phase": phase.rawValue, "halt": halt])
    }
}

private func json(_ action: TokenModel.Action) -> [String: Any] {
    switch action {
    case .fetch(let turn): ["action": "fetch", "turn": turn]
    case .use(let op, let token): ["action": "use", "op": op, "token": token]
    case .fail(let op, let failure):
        json(failure).compactMapValues { $0 }.merging(["action": "fail", "op": op]) { $1 }
    case .wait(let until): ["action": "wait", "until": until]
    }
}

private func json(_ failure: ClientModel.Failure) -> [String: Any?] {
    [
        "cause": failure.cause, "code": failure.code, "remedy": failure.remedy?.rawValue,
        "retryAfter": failure.retryAfter,
        "sent": failure.sent ? true : nil,
    ]
}
