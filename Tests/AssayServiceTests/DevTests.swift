import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// `assay dev`: from nothing to a verdict by what it prints, and nothing of it that counts elsewhere.
@Suite("assay dev", .timeLimit(.minutes(30)))
struct DevTests {
    private static let phones = ["ios", "android", "standard", "android-key", "api"]
    private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    @Test(
        "The commands that it prints are accepted, accepted and rejected, and nothing of it remains after Ctrl-C",
        .enabled(if: hasCurl, "curl is not installed"))
    func commands() throws {
        let dev = try RunningDev()
        #expect(dev.temporaryFolders.count == 1 && dev.root.hasSuffix(dev.temporaryFolders.first ?? "none"))
        let token = dev.token
        let outcomes = try dev.commands.map { command in
            let run = try ProgramRun("bash", ["-c", command], in: URL(fileURLWithPath: "/"))
            #expect(run.status == 0, "\(command): \(run.text)")
            return run.output
        }
        try #require(outcomes.count == 3, "\(dev.printed)")
        #expect(outcomes[0].contains(#""outcome":"accept""#) && outcomes[0].contains("app-attest.attestation"))
        #expect(outcomes[1].contains(#""outcome":"accept""#) && outcomes[1].contains("app-attest.request"))
        #expect(outcomes[2].contains(#""outcome":"reject""#) && outcomes[2].contains("app-attest.assertion.counter"))
        try dev.stop()
        #expect(dev.temporaryFolders.isEmpty)
        #expect(token.hasPrefix("assay_") && !(dev.printed + dev.errors).contains(token))
    }

    @Test("SIGTERM and a closed terminal end it as Ctrl-C does", arguments: [SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let dev = try RunningDev()
        dev.signal(number)
        #expect(try dev.wait() == 0 && dev.temporaryFolders.isEmpty, "\(dev.errors)")
    }

    @Test("A signal during the start removes the folder too")
    func earlySignal() throws {
        let dev = try RunningDev(isAwaited: false)
        try waitFor("folder: \(dev.errors)") { dev.temporaryFolders.isEmpty ? nil : () }
        dev.signal(SIGTERM)
        #expect(try dev.wait() == 0 && dev.temporaryFolders.isEmpty, "\(dev.errors)")
    }

    @Test("Every phone is accepted here, once, and by no policy without test authorities, even with the very keys")
    func phones() throws {
        let dev = try RunningDev()
        let text = try String(contentsOfFile: "\(dev.root)/policy.yaml", encoding: .utf8)
        // What trusts test authorities, and nothing else, is taken out.
        let strict = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains("testRoots:") && !$0.contains("testResponses:") }.joined(separator: "\n")
            .replacing(", issuers: [assay-test]", with: "").replacing(", testAuthorities: allow", with: "")
            .replacing(dev.url, with: "https://attest.example.com")
        try strict.write(toFile: "\(dev.root)/strict.yaml", atomically: true, encoding: .utf8)
        let checked = try dev.assay("policy", "check", "strict.yaml")
        #expect(checked.status == 0, "\(checked.text)")
        let checks = [
            "ios": "app-attest.attestation.chain", "android": "play-integrity.testing-response",
            "standard": "play-integrity.testing-response", "android-key": "android-key.attestation.chain",
            "api": "approov.token.issuer",
        ]
        for phone in Self.phones {
            let record = try dev.evidence(of: phone)
            try record.write(toFile: "\(dev.root)/record.json", atomically: true, encoding: .utf8)
            let run = try dev.assay(
                "verify", "--policy", "strict.yaml", "--ledger", "sqlite:ledger.sqlite", "--json", "record.json")
            let verdict = try JSONSerialization.jsonObject(with: Data(run.outputBytes)) as? [String: Any]
            #expect(
                run.status == 1 && (verdict?["failed"] as? [String])?.first == checks[phone], "\(phone): \(run.text)")
            let failed = try dev.judge(record)
            #expect(failed == nil, "\(phone): \(failed ?? [])")
            // A token of Approov counts until it ends.
            if phone != "api" { #expect(try dev.judge(record) != nil, "\(phone)") }
        }
        try dev.stop()
    }

    @Test("Its tokens are found by discovery, say env: test, and are accepted by no policy without test authorities")
    func tokens() throws {
        let dev = try RunningDev()
        let audience = "https://api.example.com"
        let metadata = try dev.send("GET", "/.well-known/openid-configuration").json
        #expect(metadata["issuer"] as? String == dev.url)
        let location = try #require(metadata["jwks_uri"] as? String)
        #expect(location.hasPrefix(dev.url + "/"))
        let keys = try dev.send("GET", String(location.dropFirst(dev.url.count)))
        try keys.body.write(toFile: "\(dev.root)/jwks.json", atomically: true, encoding: .utf8)
        func policy(_ issuer: String, _ more: String) -> String {
            """
            version: 1
            keys: [{ name: theirs, use: assay-token, for: shop, keySet: "file:jwks.json" }]
            apps: [{ name: shop, tokens: { issuer: "\(issuer)", audiences: ["\(audience)"], key: optional\(more) } }]

            """
        }
        func verify(_ token: String, _ policy: String) throws -> ProgramRun {
            try policy.write(toFile: "\(dev.root)/other.yaml", atomically: true, encoding: .utf8)
            try #"{"id":"t","kind":"assay.token","app":"shop","evidence":{"token":"\#(token)"}}"#
                .write(toFile: "\(dev.root)/token.json", atomically: true, encoding: .utf8)
            return try dev.assay("verify", "--policy", "other.yaml", "--json", "token.json")
        }
        for (app, kind) in [
            ("ios", "app-attest.attestation"), ("android", "play-integrity.classic"),
            ("android-key", "android-key.attestation"),
        ] {
            let challenge = try dev.challenge(app, kind)
            let derived = Base64.encode(Digest.sha256(Array("assay-token\n\(challenge)\n\(audience)\n\n".utf8)), .url)
            let record = try dev.evidence(of: app, challenge: derived)
            let answer = try dev.send(
                "POST", "/v1/tokens",
                body: #"{"record":\#(record),"challenge":"\#(challenge)","audience":"\#(audience)"}"#)
            let token = try #require(answer.json["token"] as? String, "\(app): \(answer)")
            let claims = try Base64.decode(String(token.split(separator: ".")[1]), .url)
            #expect(String(decoding: claims, as: UTF8.self).contains(#""env":"test""#), "\(app)")
            #expect(try dev.judge(#"{"kind":"assay.token","app":"\#(app)","evidence":{"token":"\#(token)"}}"#) == nil)
            // The issuer of a policy without test authorities is another one: it has an https URL.
            let named = try verify(token, policy(dev.url, ""))
            #expect(named.status == 2 && named.errors.contains("testAuthorities: allow"), "\(named.text)")
            let other = try verify(token, policy("https://attest.example.com", ""))
            #expect(other.status == 1 && other.output.contains("assay.token.claims"), "\(other.text)")
        }
        try dev.stop()
    }

    @Test("Two at once have addresses, phones and operators of their own")
    func two() throws {
        let shared = try TestFolder()
        let (first, second) = (try RunningDev(in: shared), try RunningDev(in: shared))
        #expect(first.port != second.port && first.root != second.root && first.token != second.token)
        #expect(try first.judge(first.evidence(of: "ios")) == nil)
        #expect(try second.judge(second.evidence(of: "ios")) == nil)
        let stranger = try first.evidence(of: "ios", challenge: try second.challenge("ios", "app-attest.attestation"))
        #expect(try second.judge(stranger)?.first == "app-attest.attestation.chain")
        #expect(try second.send("POST", "/v1/challenges", body: "{}", token: first.token).status == 401)
        try first.stop()
        #expect(try second.judge(second.evidence(of: "android")) == nil)
        try second.stop()
        #expect(second.temporaryFolders.isEmpty)
    }

    @Test("A folder that stays keeps phones, ledger and address, is private under any umask, and gets a new token")
    func kept() throws {
        let shared = try TestFolder()
        let path = shared.path("kept it's mine")
        let first = try RunningDev(["--folder", path], in: shared, umask: "000")
        #expect(first.root == path && first.temporaryFolders.isEmpty)
        #expect(try first.judge(first.evidence(of: "ios")) == nil)
        let (token, port) = (first.token, first.port)
        let modes = try ProgramRun("find", [path, "-perm", "/077"])
        #expect(modes.status == 0 && modes.output.isEmpty, "\(modes.text)")
        // As by a power cut.
        first.signal(SIGKILL)
        #expect(try first.wait() == -SIGKILL)
        try Loopback.reserve(port)

        let second = try RunningDev(["--folder", path, "--listen", "127.0.0.1:0"], in: shared, umask: "777")
        #expect(second.port == port && second.token != token)
        #expect(try second.send("POST", "/v1/challenges", body: "{}", token: token).status == 401)
        let request = try second.assay(
            "mint", "app-attest", "request", "--device", "ios.json", "--target-uri", "https://api.example.com/")
        #expect(try second.judge(request.output) == nil)
        let busy = try RunningDev(["--folder", path], in: shared, isAwaited: false)
        #expect(try busy.wait() == 64 && busy.errors.contains("another `assay dev` uses \(path)"), "\(busy.errors)")
        try second.stop()
        let elsewhere = try RunningDev(["--folder", path, "--listen", "localhost:0"], in: shared)
        #expect(elsewhere.port == port)
        try elsewhere.stop()
        let other = try RunningDev(["--folder", path, "--listen", "127.0.0.1:1"], in: shared, isAwaited: false)
        #expect(try other.wait() == 64 && other.errors.contains("is for 127.0.0.1:\(port)"), "\(other.errors)")
        #expect(FileManager.default.fileExists(atPath: "\(path)/ios.json"))
    }

    @Test("A killed process leaves its temporary folder and nothing else")
    func killed() throws {
        let dev = try RunningDev()
        let before = try FileManager.default.contentsOfDirectory(atPath: dev.folder.url.path).sorted()
        dev.signal(SIGKILL)
        #expect(try dev.wait() == -SIGKILL)
        #expect(before == ["assay-dev.", "printed"].flatMap { prefix in before.filter { $0.hasPrefix(prefix) } })
        #expect(dev.temporaryFolders.count == 1)
    }

    @Test("Each spelling of loopback has its issuer", arguments: ["localhost", "[::1]"])
    func spellings(host: String) throws {
        let addresses = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)) ?? ""
        guard host != "[::1]" || addresses.contains("00000000000000000000000000000001 ") else { return }
        let dev = try RunningDev(["--listen", "\(host):0"])
        #expect(dev.url.hasPrefix("http://\(host):") && dev.port > 0, "\(dev.printed)")
        if host == "localhost" {
            let metadata = try dev.send("GET", "/.well-known/openid-configuration").json
            #expect(metadata["issuer"] as? String == dev.url)
        }
        try dev.stop()
    }

    @Test("What it cannot use is refused with the reason, and leaves nothing behind")
    func refusals() throws {
        let folder = try TestFolder()
        try folder.write("full/notes.txt", "mine")
        try folder.write("file", "mine")
        let taken = try RunningDev(in: folder)
        let cases: [(arguments: [String], status: Int32, words: String)] = [
            (["--listen", "0.0.0.0:8080"], 64, "this machine alone"),
            (["--listen", "[::]:8080"], 64, "this machine alone"),
            (["--listen", "192.0.2.1:80"], 64, "found \"192.0.2.1:80\""),
            (["--listen", "example.com:80"], 64, "127.0.0.1:PORT"),
            (["--listen", "127.0.0.2:0"], 64, "127.0.0.1:PORT"), (["--listen", "unix:/tmp/s"], 64, "127.0.0.1:PORT"),
            (["--listen", "8080"], 64, "127.0.0.1:PORT"),
            (["--listen", "127.0.0.1:65536"], 64, "a port is at most 65535"),
            (["--listen", "127.0.0.1:\(taken.port)"], 2, "Address already in use"),
            (["--folder", "full"], 64, "has notes.txt"), (["--folder", "file"], 74, "Not a directory"),
            (["--folder", "no/such"], 74, "cannot be made"), (["--folder", ""], 64, "--folder needs"),
            (["--folder", "/proc/self/dev"], 74, "cannot be made"),
        ]
        for each in cases {
            let run = try RunningDev(each.arguments, in: folder, isAwaited: false)
            #expect(try run.wait() == each.status, "\(each.arguments): \(run.errors)")
            #expect(run.errors.contains(each.words) && run.printed.isEmpty, "\(each.arguments): \(run.errors)")
        }
        #expect(taken.temporaryFolders.count == 1)
        try taken.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("full")) == ["notes.txt"])
    }
}
