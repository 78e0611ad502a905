import AssayTestSupport
import Foundation
import Testing

/// The list of revoked certificates on the command line: from a file, and from a server.
@Suite("assay verify and replay, lists of revoked certificates")
struct StatusListTests {
    private static let python = "/usr/bin/python3"
    private static let hasPython = FileManager.default.isExecutableFile(atPath: python)

    /// Serves `served.json` as the list, and appends a line to `asked` for each request.
    private static let server = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                with open("asked", "a") as asked: asked.write(self.path + "\\n")
                body = open("served.json", "rb").read()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "max-age=300")
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    private static func list(_ serial: String) -> Data {
        Data(#"{"entries":{"\#(serial)":{"status":"REVOKED","reason":"KEY_COMPROMISE"}}}"#.utf8)
    }

    /// Writes a record, policies with the sources of the list, a list that has the certificate of the record's device revoked, and one
    /// that has another.
    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        let digest = String(repeating: "6a", count: 32)
        let made = try scratch.run(["mint", "android-key", "device", "device.json", "--root", "roots.pem"])
        try #require(made.status == 0, "\(made.errors)")
        let minted = try scratch.run([
            "mint", "android-key", "attestation", "--device", "device.json", "--package", "com.example.shop",
            "--challenge", "challenge", "--certificate-digest", digest, "--model", "factory",
        ])
        try #require(minted.status == 0, "\(minted.errors)")
        try scratch.write("records.json", Data(minted.output.utf8))
        for source in ["service", "none", "file:other.json"] {
            let name = source.prefix { $0 != ":" }
            try scratch.write(
                "\(name).yaml",
                Data(
                    """
                    version: 1
                    apps:
                      - name: shop
                        androidKey:
                          packages: [com.example.shop]
                          certificateDigests: ["\(digest)"]
                          challenge: caller
                          statusList: \(source)
                          testRoots: ["file:roots.pem"]

                    """.utf8))
        }
        try scratch.write("other.json", Self.list("abcdef0123456789"))
        let run = try scratch.run(["verify", "--policy", "none.yaml", "--json", "records.json"])
        try #require(run.status == 0, "\(run.errors)\(run.output)")
        // The serial numbers in the verdict, of which the first one is the leaf's.
        let subject = try #require(run.json().first?["subject"] as? [String: Any])
        let serials = try #require(subject["serials"] as? [String], "\(subject)")
        try scratch.write("revoked.json", Self.list(serials[1]))
        return scratch
    }

    @Test("A file replaces the policy's list; a missing or damaged one is input that cannot be read")
    func file() throws {
        let scratch = try scratch()
        let verify = ["verify", "--policy", "none.yaml", "--oneline", "records.json"]
        func status(_ source: String) throws -> Int32 {
            try scratch.run(verify + ["--status-list", source]).status
        }
        #expect(try status("file:other.json") == 0)
        #expect(try status("file:revoked.json") == 1)
        try scratch.write("cut.json", Self.list("1").dropLast())
        try scratch.write("open.json", Self.list("1"))
        try #require(chmod(scratch.folder.appendingPathComponent("open.json").path, 0o666) == 0)
        for source in ["file:nosuch.json", "file:cut.json", "file:open.json"] {
            #expect(try status(source) == 2, "\(source)")
        }
        for source in ["file:", "files", "as-captured"] { #expect(try status(source) == 64, "\(source)") }
        // The same for a chain without a record, where the option is a field of the policy.
        let record = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: scratch.folder.appendingPathComponent("records.json")))
                as? [String: Any])
        let certificates = try #require((record["evidence"] as? [String: Any])?["certificates"] as? [String])
        let pem = certificates.map { "-----BEGIN CERTIFICATE-----\n\($0)\n-----END CERTIFICATE-----\n" }.joined()
        try scratch.write("chain.pem", Data(pem.utf8))
        for (source, status) in [
            ("file:other.json", 0), ("file:revoked.json", 1), ("file:nosuch.json", 2), ("file:cut.json", 2),
            ("nosuch", 64),
        ] as [(String, Int32)] {
            let run = try scratch.run([
                "verify", "--kind", "android-key.attestation", "--package", "com.example.shop", "--certificate-digest",
                String(repeating: "6a", count: 32), "--challenge", "challenge", "--test-root", "roots.pem",
                "--status-list", source, "chain.pem",
            ])
            #expect(run.status == status, "\(source): \(run.errors)\(run.output)")
        }
    }

    @Test("A list with a serial number in another form is refused, with the line and the key, by option and by policy")
    func serialForms() throws {
        let scratch = try scratch()
        let listed = try String(contentsOf: scratch.folder.appendingPathComponent("revoked.json"), encoding: .utf8)
        let serial = try #require(listed.split(separator: "\"").dropFirst(3).first.map(String.init))
        let pairs = stride(from: 0, to: serial.count, by: 2).map { offset in
            let start = serial.index(serial.startIndex, offsetBy: offset)
            return String(serial[start...].prefix(2))
        }
        let policy = try String(contentsOf: scratch.folder.appendingPathComponent("file.yaml"), encoding: .utf8)
        try scratch.write("forms.yaml", Data(policy.replacing("file:other.json", with: "file:forms.json").utf8))
        let verify = ["verify", "--oneline", "records.json", "--policy"]
        for (form, isRevoked) in [
            ("0x\(serial)", false), (pairs.joined(separator: ":").uppercased(), false), ("\(serial) ", false),
            (serial, true), (serial.uppercased(), true), ("00\(serial)", true),
        ] {
            let list = #"{"entries": {\#n "a1": {"status": "REVOKED"},\#n "\#(form)": {"status": "REVOKED"}}}"#
            try scratch.write("forms.json", Data(list.utf8))
            for options in [["none.yaml", "--status-list", "file:forms.json"], ["forms.yaml"]] {
                let run = try scratch.run(verify + options)
                #expect(run.status == (isRevoked ? 1 : 2), "\(form): \(run.errors)\(run.output)")
                guard !isRevoked else { continue }
                #expect(run.errors.contains("line 3") && run.errors.contains(form), "\(run.errors)")
            }
        }
    }

    @Test(
        "The list of a server counts where the policy says service, and its outage is no verdict",
        .enabled(if: hasPython, "needs \(python)"), .timeLimit(.minutes(20)))
    func service() throws {
        let scratch = try scratch()
        try scratch.write("server.py", Data(Self.server.utf8))
        let server = try LineProcess(
            URL(fileURLWithPath: Self.python), ["server.py"], folder: scratch.folder, errors: .nullDevice)
        defer { server.kill() }
        let url = ["--status-list-url", "http://127.0.0.1:\(try server.readLine())/attestation/status"]
        func verify(_ policy: String, _ more: [String] = []) throws -> Int32 {
            try scratch.run(["verify", "--policy", "\(policy).yaml", "--oneline", "records.json"] + url + more).status
        }
        func serve(_ name: String) throws {
            try scratch.write("served.json", Data(contentsOf: scratch.folder.appendingPathComponent(name)))
        }
        try serve("other.json")
        #expect(try verify("service") == 0)
        try serve("revoked.json")
        #expect(try verify("service") == 1)
        #expect(try verify("service", ["--status-list", "file:other.json"]) == 0)
        #expect(try verify("none") == 0)
        // A server that shares the list through the ledger asks once.
        let ledger = ["--ledger", "sqlite:l.sqlite", "--create-ledger"]
        #expect(try verify("service", ledger) == 1)
        try scratch.write("asked", Data())
        #expect(try verify("service", ledger) == 1)
        #expect(try Data(contentsOf: scratch.folder.appendingPathComponent("asked")).isEmpty)

        func replay(_ options: String...) throws -> Run {
            try scratch.run(["replay", "records.json", "--policy", "file.yaml", "--jobs", "1"] + url + options)
        }
        // Each policy has its own list, unless an option names one for both, or for the second.
        let (own, given) = (try replay(), try replay("--status-list", "file:revoked.json"))
        #expect(own.status == 0 && own.output.contains("1 accepted, 0 rejected"), "\(own)")
        #expect(given.status == 0 && given.output.contains("0 accepted, 1 rejected"), "\(given)")
        for (options, changed) in [
            ([], false), (["--status-list", "file:revoked.json"], false),
            (["--against-status-list", "file:revoked.json"], true),
            (["--against-status-list", "file:other.json"], false),
        ] {
            let run = try scratch.run(
                [
                    "replay", "records.json", "--policy", "file.yaml", "--jobs", "1", "--against", "file.yaml",
                    "--changed",
                ]
                    + options)
            #expect(
                run.status == 0 && run.output.contains("accepted, then rejected") == changed, "\(options): \(run)")
        }
        let wrong = try scratch.run(
            ["replay", "records.json", "--policy", "file.yaml", "--against-status-list", "file:other.json"])
        #expect(wrong.status == 64 && wrong.errors.contains("--against-status-list needs --against"), "\(wrong.errors)")

        try scratch.write("served.json", Data("<html>".utf8))
        #expect(try verify("service") == 3)
        let elsewhere = try scratch.run(
            ["verify", "--policy", "service.yaml", "records.json", "--status-list-url", "http://example.com/"])
        #expect(elsewhere.status == 64 && elsewhere.errors.contains("--status-list-url: "), "\(elsewhere.errors)")
    }
}
