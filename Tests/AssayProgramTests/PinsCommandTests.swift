import AssayHTTPTestSupport
import AssayTestSupport
import Foundation
import Testing

@Suite("Pins on the command line")
struct PinsCommandTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]
    /// A pin that no certificate has.
    private static let foreign = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs a subcommand of pins. Servers that hang are asked with a timeout of their own.
    private func pins(_ arguments: String..., at server: TestTLSServer? = nil, in ledger: [String] = []) throws -> Run {
        let port = server.map { ["--port", "\($0.port)"] } ?? []
        let timeout = arguments.contains("--timeout") || server == nil ? [] : ["--timeout", "30s"]
        return try scratch.run(["pins"] + arguments + port + timeout + ledger)
    }

    private func changed(_ arguments: String..., at server: TestTLSServer) throws -> Run {
        try scratch.run(["pins"] + arguments + ["--port", "\(server.port)", "--timeout", "30s"] + Self.ledger)
    }

    /// The pins of an identity's chain, by way of a file.
    private func pins(of identity: TestServerIdentity) throws -> [String] {
        try scratch.write("chain.pem", Data(identity.pem.utf8))
        let run = try scratch.assay("pins", "of", "chain.pem", "--json")
        let chain = try #require(run.json().first?["chain"] as? [[String: Any]], "\(run.errors)")
        return try chain.map { try #require($0["pin"] as? String) }
    }

    @Test("Of a file: pin, end, days left and subject of each certificate, and the same pins as openssl")
    func file() throws {
        let identity = try TestServerIdentity("shop")
        let pins = try self.pins(of: identity)
        let table = try scratch.assay("pins", "of", "chain.pem")
        #expect(table.status == 0 && table.lines.count == 3, "\(table)")
        #expect(table.lines[1].contains(pins[0]) && table.lines[1].hasSuffix("CN=shop"))
        #expect(table.lines[2].hasPrefix("2  \(pins[1])") && table.lines[2].hasSuffix("(issued by itself)"))
        let openssl = try scratch.shell(
            "openssl x509 -in chain.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary"
                + " | base64")
        if openssl.status == 0 { #expect(openssl.output == pins[0] + "\n") }
        try scratch.write("cut.pem", Data(identity.pem.prefix(200).utf8))
        let cut = try scratch.assay("pins", "of", "cut.pem")
        #expect(cut.status == 2 && cut.errors.contains("cut.pem: "), "\(cut)")
        for wrong in ["no-such-file.pem/", "https://api.example.com", "a b"] {
            #expect(try scratch.assay("pins", "of", wrong).status == 64, "\(wrong)")
        }
    }

    @Test("Of a server: the chain of each address, and a failure if the leaves differ")
    func server() async throws {
        let (here, there) = (try TestServerIdentity("here"), try TestServerIdentity("there"))
        let server = try await TestTLSServer(
            ["127.0.0.2": .presents(there), "127.0.0.3": .plainHTTP], otherwise: .presents(here))
        let one = try self.pins("of", "127.0.0.1:\(server.port)", "--address", "127.0.0.9", "--timeout", "30s")
        #expect(one.status == 0 && one.lines.count == 4, "\(one)")
        #expect(one.lines[0] == "127.0.0.1:\(server.port), 127.0.0.9:\(server.port)")
        let two = try self.pins("of", "127.0.0.1", "--address", "127.0.0.2", at: server)
        #expect(two.status == 1 && two.errors.contains("present 2 different leaves"), "\(two)")
        #expect(two.output.contains("CN=here\n") && two.output.contains("CN=there\n"))
        let json = try self.pins("of", "127.0.0.1", "--address", "127.0.0.3", "--json", at: server)
        #expect(json.status == 1, "\(json)")
        #expect((try json.json().last?["error"] as? [String: String])?["code"] == "not-tls")
        try await server.close()
    }

    @Test("Of a server and a second resolver: the addresses of both, and a mark on what only one leads to")
    func resolver() async throws {
        let (here, there) = (try TestServerIdentity("here"), try TestServerIdentity("there"))
        let server = try await TestTLSServer(["127.0.0.2": .presents(there)], otherwise: .presents(here))
        let names = try await TestNameServer(addresses: [[127, 0, 0, 1], [127, 0, 0, 2]])
        let resolver = ["--resolver", "127.0.0.1:\(names.port)"]
        // This machine gives 127.0.0.1, and may give ::1, where nothing listens.
        let json = try scratch.run(
            ["pins", "of", "localhost", "--json", "--port", "\(server.port)", "--timeout", "30s"] + resolver)
        #expect(json.status == 1 && json.errors.contains("2 different leaves, some by one resolver alone"), "\(json)")
        let views = try json.json()
        func view(_ address: String) throws -> [String: Any] {
            try #require(views.first { $0["address"] as? String == "\(address):\(server.port)" }, "\(json)")
        }
        #expect(try view("127.0.0.1")["resolvers"] as? [String] == ["system", "127.0.0.1:\(names.port)"])
        #expect(try view("127.0.0.1")["onlyBy"] == nil)
        #expect(try view("127.0.0.2")["resolvers"] as? [String] == ["127.0.0.1:\(names.port)"])
        #expect(try view("127.0.0.2")["onlyBy"] as? String == "127.0.0.1:\(names.port)")
        let text = try scratch.run(
            ["pins", "of", "localhost", "--port", "\(server.port)", "--timeout", "30s"] + resolver)
        #expect(text.lines.contains { $0.hasPrefix("system") && $0.hasSuffix(" 127.0.0.1:\(server.port)") }, "\(text)")
        #expect(
            text.lines.contains {
                $0.hasPrefix("127.0.0.1:\(names.port)") && $0.contains(" 127.0.0.2:\(server.port) ")
                    && $0.hasSuffix("only this resolver")
            }, "\(text)")
        try await names.close()
        try Loopback.reserve(names.port)
        let gone = try scratch.run(
            ["pins", "of", "localhost", "--json", "--port", "\(server.port)", "--timeout", "30s"] + resolver)
        let errors = try gone.json().compactMap { ($0["error"] as? [String: String])?["message"] }
        #expect(
            gone.status == 1 && errors.contains { $0.contains("127.0.0.1:\(names.port): no connection") }, "\(gone)")
        for wrong in [["localhost", "--resolver", "dns.example.com"], ["127.0.0.1"] + resolver] {
            #expect(try scratch.run(["pins", "of"] + wrong).status == 64, "\(wrong)")
        }
        try await server.close()
    }

    @Test("Check: what passes, what does not and why, as text, JSON and metrics")
    func check() async throws {
        let (good, captive) = (try TestServerIdentity("good"), try TestServerIdentity("captive portal"))
        let server = try await TestTLSServer(
            [
                "127.0.0.2": .presents(captive), "127.0.0.3": .plainHTTP, "127.0.0.4": .closes, "127.0.0.5": .hangs,
                "127.0.0.6": .presents(try TestServerIdentity("expired", ends: -86_400)),
                "127.0.0.7": .presents(try TestServerIdentity("self-signed", isSelfSigned: true)),
            ], otherwise: .presents(good))
        let pin = try self.pins(of: good)[0]
        try scratch.write(
            "good.json",
            Data(
                """
                {"127.0.0.1": ["\(Self.foreign)", "\(pin)"], "127.0.0.7": ["jwe"],
                 "127.0.0.8": [{"pin": "\(pin)", "notAfter": "2999-01-01T00:00:00Z"}]}
                """.utf8))
        let passed = try self.pins("check", "good.json", "--metrics", "pins.prom", at: server)
        #expect(passed.status == 0 && passed.errors.isEmpty, "\(passed)")
        #expect(passed.lines.count == 3 && passed.lines[0].contains("127.0.0.1: matched pin \(pin), "))
        #expect(passed.lines[1].hasPrefix("127.0.0.7: no pins defined, "))
        let metrics = try String(contentsOfFile: scratch.path("pins.prom"), encoding: .utf8)
        #expect(metrics.contains("\nassay_pins_ok{host=\"127.0.0.1\"} 1\n"), "\(metrics)")
        #expect(metrics.contains(#/\nassay_pins_days_left{host="127.0.0.1"} (89|90)\n/#), "\(metrics)")
        let soon = try self.pins("check", "good.json", "--days", "365", at: server)
        #expect(soon.status == 1 && soon.errors.contains("3 of 3 domains did not pass: 127.0.0.1 ("), "\(soon)")

        try scratch.write(
            "bad.json",
            Data(
                """
                {"127.0.0.2": ["\(pin)"], "127.0.0.3": [], "127.0.0.4": [], "127.0.0.5": [], "127.0.0.6": [],
                 "127.0.0.8": [{"pin": "\(pin)", "notAfter": "2020-01-01T00:00:00Z"}],
                 "127.0.0.9": [{"pin": "\(Self.foreign)", "notAfter": "2020-01-01T00:00:00Z"}]}
                """.utf8))
        let failed = try self.pins("check", "bad.json", "--json", "--timeout", "3s", at: server)
        #expect(failed.status == 1 && failed.errors.contains("7 of 7 domains did not pass"), "\(failed)")
        let findings = try failed.json().map { host in
            (host["addresses"] as? [[String: Any]])?.first?["finding"] as? String ?? ""
        }
        #expect(
            findings == [
                "unmatched", "not-tls", "handshake", "timeout", "expired", "outside-window", "none-in-force",
            ], "\(findings)")
        let text = try self.pins("check", "bad.json", "--timeout", "3s", at: server)
        #expect(text.output.contains("the leaf is CN=captive portal, pin "), "\(text)")
        try await server.close()
    }

    @Test("Check of a hundred hosts")
    func hundred() async throws {
        let server = try await TestTLSServer(otherwise: .presents(try TestServerIdentity("many")))
        let domains = (1...100).map { #""127.0.1.\#($0)": []"# }.joined(separator: ", ")
        try scratch.write("many.json", Data("{\(domains)}".utf8))
        let run = try self.pins("check", "many.json", at: server)
        #expect(run.status == 0 && run.lines.count == 100, "\(run)")
        try await server.close()
    }

    @Test("A ledger that cannot be reached is no failure of a check; a file that cannot be read is")
    func outage() throws {
        let run = try scratch.assay("pins", "check", "--ledger", "sqlite:missing/ledger.sqlite", "--metrics", "p.prom")
        #expect(run.status == 0 && run.errors.contains("note: no domain was checked"), "\(run)")
        #expect(
            try String(contentsOfFile: scratch.path("p.prom"), encoding: .utf8).contains("assay_pins_ledger_up 0\n"))
        for text in ["[]", "{\"a.example\": [\"x\"]}", "{\"a.example\": []", "{\"a/b\": []}"] {
            try scratch.write("wrong.json", Data(text.utf8))
            let wrong = try scratch.assay("pins", "check", "wrong.json")
            #expect(wrong.status == 2 && wrong.errors.contains("wrong.json, line 1: "), "\(wrong)")
        }
        #expect(try scratch.assay("pins", "check", "a.json", "--ledger", "sqlite:l.sqlite").status == 64)
    }

    @Test("Add, list, check, remove: with entries of the audit trail")
    func life() async throws {
        let identity = try TestServerIdentity("life")
        let server = try await TestTLSServer(
            ["127.0.0.2": .presents(try TestServerIdentity("elsewhere"))], otherwise: .presents(identity))
        let pin = try self.pins(of: identity)[0]
        let differing = try changed("add", "127.0.0.1", "--address", "127.0.0.2", at: server)
        #expect(differing.status == 1 && differing.errors.contains("several servers, or a network"), "\(differing)")
        let added = try changed("add", "127.0.0.1", "--operator", "eve", at: server)
        #expect(added.status == 0 && added.lines.first == "127.0.0.1: [\"\(pin)\"], new", "\(added)")
        // A pin of the next certificate, beside the one in use.
        let next = try changed(
            "add", "127.0.0.1", "--pin", Self.foreign, "--not-after", "2999-01-01T00:00:00Z", at: server)
        #expect(next.status == 0, "\(next)")
        #expect(try changed("add", "127.0.0.1", "--pin", pin, at: server).errors.contains("nothing changes"))
        let list = try scratch.run(["pins", "list"] + Self.ledger)
        #expect(list.lines.count == 3 && list.output.contains("in force, until 2999-01-01T00:00:00Z"), "\(list)")
        let checked = try changed("check", at: server)
        #expect(checked.status == 0 && checked.output.contains("matched pin \(pin)"), "\(checked)")

        // Without the pin that is presented, apps could not connect.
        let broken = try changed("remove", "127.0.0.1", "--pin", pin, at: server)
        #expect(broken.status == 1 && broken.errors.contains("nothing was changed"), "\(broken)")
        let forced = try changed("remove", "127.0.0.1", "--pin", pin, "--yes", at: server)
        #expect(forced.status == 0 && forced.errors.contains("warning: do not go on"), "\(forced)")
        #expect(try changed("check", at: server).status == 1)
        let last = try changed("remove", "127.0.0.1", "--pin", Self.foreign, "--yes", at: server)
        #expect(last.status == 1 && last.errors.contains("would be without a pin"), "\(last)")
        let unknown = try changed("remove", "127.0.0.3", at: server)
        #expect(unknown.status == 1 && unknown.errors.contains("did you mean 127.0.0.1?"), "\(unknown)")
        #expect(try changed("remove", "127.0.0.1", at: server).status == 0)

        let audit = try scratch.run(["audit", "list"] + Self.ledger)
        #expect(audit.lines.count == 4, "\(audit)")
        #expect(audit.lines[0].contains(#/eve +change-pins +domain 127\.0\.0\.1 +pins \["/#), "\(audit)")
        #expect(audit.lines[3].hasSuffix("removed"))
        try await server.close()
    }

    @Test("Set replaces everything, shows what changes, and refuses what does not fit")
    func set() async throws {
        let identity = try TestServerIdentity("set")
        let server = try await TestTLSServer(otherwise: .presents(identity))
        let pin = try self.pins(of: identity)[1]
        try scratch.write("pins.json", Data("{\"127.0.0.1\": [\"\(pin)\"], \"127.0.0.2\": [\"jwe\"]}".utf8))
        let set = try changed("set", "pins.json", at: server)
        #expect(set.status == 0 && set.errors.contains("127.0.0.1: matched pin \(pin)"), "\(set)")
        let json = try scratch.run(["pins", "list", "--json"] + Self.ledger)
        #expect(json.output == "{\n  \"127.0.0.1\": [\"\(pin)\"],\n  \"127.0.0.2\": [\"jwe\"]\n}\n", "\(json)")
        #expect(try changed("set", "pins.json", at: server).errors.contains("nothing changes"))
        try scratch.write("pins.json", Data("{\"127.0.0.1\": [\"\(Self.foreign)\"]}".utf8))
        let refused = try changed("set", "pins.json", at: server)
        #expect(refused.status == 1 && refused.output.contains("127.0.0.2: removed; it had [\"jwe\"]\n"), "\(refused)")
        #expect(try scratch.run(["pins", "list", "--json"] + Self.ledger).output == json.output)
        // The pins of * count for domains without their own.
        let every = try changed("add", "*", "--pin", Self.foreign, at: server)
        #expect(every.status == 1 && every.errors.contains("127.0.0.2 at 127.0.0.2:"), "\(every)")
        try await server.close()
    }

    @Test("Operators who add at once lose nothing")
    func race() async throws {
        let server = try await TestTLSServer(otherwise: .presents(try TestServerIdentity("race")))
        #expect(try changed("add", "127.0.0.1", at: server).status == 0)
        let adds = (2...7).map { number in
            "$ASSAY pins add 127.0.0.\(number) --port \(server.port) --timeout 30s --ledger sqlite:ledger.sqlite & "
        }
        let run = try scratch.shell(adds.joined() + "wait")
        #expect(run.status == 0, "\(run)")
        let list = try scratch.run(["pins", "list", "--json"] + Self.ledger)
        #expect(list.lines.count == 9, "\(list.output) \(run.errors)")
        try await server.close()
    }
}
