import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The signed configuration over HTTP, beside tokens.
@Suite("Configuration of apps over HTTP", .timeLimit(.minutes(30)))
struct AppConfigurationTests {
    private static let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private static func start(_ tokens: String = "configuration: pins") throws -> RunningService {
        let service = try TokenTests.start("testAuthorities: allow, \(tokens)")
        if tokens.contains("pins") {
            try service.waitUntil("the key is made") { service.entries("configuration key made").count == 1 }
        }
        return service
    }

    /// Runs a command with the ledger of the service.
    private static func pins(_ service: RunningService, _ arguments: String...) throws {
        let run = try service.run(
            ["pins"] + arguments + ["--yes", "--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))"])
        try #require(run.status == 0, "\(arguments): \(run)")
    }

    /// The claims of the configuration in an answer; nil if it has none.
    private static func claims(_ answer: HTTPAnswer) throws -> [String: Any]? {
        try #require(answer.status == 201, "\(answer)")
        guard let text = answer.json["configuration"] as? String else { return nil }
        let jws = try CompactJWS(Array(text.utf8), limit: 300_000)
        #expect(jws.header.type == "assay-configuration+jwt")
        return try #require(try JSONSerialization.jsonObject(with: Data(jws.payload)) as? [String: Any])
    }

    /// The ID of the key that a phone attests.
    private static func keyID(_ phone: String) -> String {
        Base64.encode(AttestedKey(seed: "assay service", label: phone).keyID, .standard)
    }

    /// A counter for the names of phones.
    private final class Phones {
        private var count = 0
        var next: String {
            count += 1
            return "phone \(count)"
        }
    }

    @Test("New pins, a forced version and modes reach apps with their next token; a rejection brings none")
    func life() throws {
        let service = try Self.start()
        let phones = Phones()
        func ask(_ members: String, _ phone: String? = nil) throws -> [String: Any]? {
            try Self.claims(try TokenTests.issue(service, phone ?? phones.next, members))
        }
        var first: [String: Any]?
        // The service may have read its keys before the one for configurations was there.
        try service.waitUntil("a configuration") {
            first = (try? ask(#","configuration":0"#)) ?? nil
            return first != nil
        }
        #expect(first?["version"] as? Int == 1 && first?["aud"] as? String == "bank")
        #expect(first?["iss"] as? String == TokenTests.issuer && (first?["keys"] as? [Any])?.count == 1)
        #expect(try ask(#","configuration":1"#) == nil)
        #expect(try ask("") == nil)
        let forged = try TokenTests.issue(service, phones.next, isForged: true, #","configuration":0"#)
        #expect(forged.status == 403 && !forged.body.contains("configuration"), "\(forged)")

        try Self.pins(service, "add", "127.0.0.1", "--pin", Self.pin, "--port", "1", "--timeout", "1s")
        var second: [String: Any]?
        try service.waitUntil("new pins") {
            second = (try? ask(#","configuration":1"#)) ?? nil
            return second != nil
        }
        #expect(second?["version"] as? Int == 2)
        #expect((second?["pins"] as? [String: [[String: String]]]) == ["127.0.0.1": [["pin": Self.pin]]])

        try Self.pins(service, "force")
        try service.waitUntil("a forced version") {
            ((try? ask(#","configuration":1"#)) ?? nil)?["force"] as? Int == 2
        }
        #expect(try ask(#","configuration":2"#) == nil)

        // Modes of phones, each of which attests once: an ordinary one shows that the service has read them.
        func setModes(_ mode: String, _ phones: [String], above version: Int) throws {
            for phone in phones {
                try Self.pins(
                    service, "mode", mode, "--key-id", Self.keyID(phone), mode == "pin" ? "--operator=eve" : "--for=2h")
            }
            try Self.pins(service, "force", "--above", "\(version)")
            try service.waitUntil("the modes are read") {
                ((try? ask(#","configuration":\#(version)"#)) ?? nil)?["version"] as? Int == version + 1
            }
        }
        try setModes("unpin", ["a", "b", "c", "d"], above: 2)
        let unpinned = try #require(try ask(#","configuration":0"#, "a"))
        #expect(unpinned["mode"] as? String == "unpin" && unpinned["did"] as? String == Self.keyID("a"))
        #expect(unpinned["exp"] is Int && unpinned["version"] as? Int == 3)
        #expect(try ask(#","configuration":3,"configurationMode":"pin""#, "b")?["mode"] as? String == "unpin")
        #expect(try ask(#","configuration":3,"configurationMode":"unpin""#, "c") == nil)
        #expect(try ask(#","configuration":3"#) == nil)
        #expect(try ask(#","configuration":0"#)?["mode"] == nil)
        try setModes("pin", ["d"], above: 3)
        let ended = try #require(try ask(#","configuration":4,"configurationMode":"unpin""#, "d"))
        #expect(ended["mode"] == nil && ended["version"] as? Int == 4)
        #expect(service.entries("apps get no configuration").isEmpty)
    }

    @Test("Members of another form are refused before the evidence is judged")
    func members() throws {
        let service = try Self.start()
        for (member, value, words) in [
            ("configuration", "-1", "a whole number from 0 to 9007199254740991, found -1"),
            ("configuration", "9007199254740992", "found 9007199254740992"),
            ("configuration", "1000000000000000000000000", "found 1000000000000000000000000"),
            ("configuration", "1.5", "found 1.5"), ("configuration", "1e3", "found 1e3"),
            ("configuration", "-0", "found -0"), ("configuration", #""1""#, #"found "1""#),
            ("configuration", "true", "found true"), ("configuration", "[]", "found an array"),
            ("configurationMode", #""pin""#, "it goes with configuration"),
        ] {
            let answer = try TokenTests.issue(service, "wrong", #","\#(member)":\#(value)"#)
            #expect(answer.status == 400 && answer.json["code"] as? String == "unreadable-request", "\(answer)")
            #expect((answer.json["detail"] as? String)?.contains(words) == true, "\(answer)")
        }
        for mode in [#""Pin""#, #""""#, "1", "{}"] {
            let answer = try TokenTests.issue(service, "wrong", #","configuration":1,"configurationMode":\#(mode)"#)
            #expect(answer.status == 400, "\(mode) \(answer)")
        }
        // An app without configurations may ask, and gets its token alone.
        let off = try Self.start("configuration: none")
        let answer = try TokenTests.issue(off, "phone", #","configuration":0,"configurationMode":"block""#)
        #expect(try Self.claims(answer) == nil)
    }
}
