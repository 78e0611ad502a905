import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The example backends in other languages, which check tokens of the running service with ordinary JWT libraries.
@Suite("Example backends", .timeLimit(.minutes(30)))
struct TokenCheckerTests {
    struct Backend: Sendable, CustomTestStringConvertible {
        let file: String
        /// Commands that prepare the folder and then run it; the arguments follow.
        let command: String
        /// A command that succeeds where language and library are installed.
        let probe: String
        /// Whether it checks the proofs of bound tokens. Others refuse these tokens.
        let checksProofs: Bool
        var testDescription: String { file }

        var isInstalled: Bool { (try? TestFolder().shell("(\(probe)) >/dev/null 2>&1")) == 0 }
    }

    private static let root = TestVectors.folder.deletingLastPathComponent()
    private static let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"] ?? ""
    private static let goLibrary = "/usr/share/gocode/src/github.com/golang-jwt/jwt"
    /// Debian has no Nimbus. The library that PySpark brings for Hadoop contains it, under a longer package name.
    private static let nimbus =
        "\(root.path)/.build/spark/lib/python3*/site-packages/pyspark/jars/hadoop-client-runtime-*.jar"

    static let backends = [
        Backend(
            file: "check_token.py", command: "exec '\(python)' 'FILE'", probe: "test -x '\(python)'",
            checksProofs: true),
        Backend(
            file: "check_token.mjs",
            command: "mkdir -p node_modules; ln -sfn /usr/share/nodejs/jose node_modules/jose; cp 'FILE' .; "
                + "exec node check_token.mjs",
            probe: "node -e 'fetch' && test -d /usr/share/nodejs/jose", checksProofs: true),
        Backend(
            file: "check_token.go",
            command: "printf 'module check\\ngo 1.19\\nrequire github.com/golang-jwt/jwt/v4 v4.4.3\\n"
                + "replace github.com/golang-jwt/jwt/v4 => \(goLibrary)\\n' >go.mod; cp 'FILE' .; "
                + "GOFLAGS=-mod=mod GOPROXY=off go build -o built . && exec ./built",
            probe: "go version && test -d \(goLibrary)", checksProofs: false),
        Backend(
            file: "CheckToken.java",
            command: "sed 's/com\\.nimbusds\\./org.apache.hadoop.shaded.&/' 'FILE' >CheckToken.java; "
                + "exec java -XX:-UsePerfData -Xlog:disable -Xlog:all=warning:stderr -cp $(ls \(nimbus)) CheckToken.java",
            probe: "java -XX:-UsePerfData --list-modules | grep jdk.compiler && ls \(nimbus)", checksProofs: false),
    ]

    /// A running backend. Its input is a pipe with a name: a write to it never fails when the backend has ended.
    private final class Running {
        private let process = Process()
        private let input: FileHandle
        private let folder: URL
        private let service: RunningService
        private var sent = 0

        init(
            _ backend: Backend, _ service: RunningService, cooldown: Int, acceptsTestTokens: Bool = true
        ) throws {
            self.service = service
            folder = service.folder.url.appendingPathComponent("backend-\(cooldown)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let pipe = folder.appendingPathComponent("input").path
            try #require(mkfifo(pipe, 0o600) == 0)
            input = FileHandle(fileDescriptor: open(pipe, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
            let file = TokenCheckerTests.root.appendingPathComponent("Examples/clients/\(backend.file)").path
            let command = backend.command.replacingOccurrences(of: "FILE", with: file)
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c",
                "exec 2>log; export HOME=\"$PWD\" ASSAY_COOLDOWN=\(cooldown)\(acceptsTestTokens ? " ASSAY_TEST_TOKENS=1" : ""); \(command) \(TokenTests.issuer) "
                    + "\(TokenTests.audience) bank http://127.0.0.1:\(service.port) <input >answers",
            ]
            process.currentDirectoryURL = folder
            try process.run()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        private func text(_ name: String) -> String {
            (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
        }

        /// Sends requests, and returns the answers to them.
        func answers(to requests: [String]) throws -> [String] {
            sent += requests.count
            try input.write(contentsOf: Data(requests.map { $0 + "\n" }.joined().utf8))
            var lines: [Substring] = []
            try service.waitUntil("answers") {
                lines = text("answers").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                return lines.count >= sent || !process.isRunning
            }
            try #require(lines.count == sent, "\(text("log"))\(text("answers"))")
            return lines.suffix(requests.count).map { String($0) }
        }
    }

    private static let scalar = [UInt8](repeating: 9, count: 32)
    private static let issuerKey = Result { try TestKey(.p256, scalar: scalar) }
    private static let attacker = TestKey(.p256, seed: "assay service", label: "attacker")

    private static func token(_ change: (inout AssayTokenBlueprint) -> Void) throws -> String {
        var blueprint = AssayTokenBlueprint(
            key: try issuerKey.get(), client: TokenTests.client, issuer: TokenTests.issuer,
            audience: TokenTests.audience, app: "bank",
            id: "1", issuedAt: Date())
        blueprint.claims["cnf"] = nil
        change(&blueprint)
        return try blueprint.mint().token
    }

    private static func request(_ token: String, _ proof: String? = nil) -> String {
        "GET https://api.example.com/orders?page=2 \(token)" + (proof.map { " \($0)" } ?? "")
    }

    /// Makes an own key sign, as an operator who brings a key does, and waits until it is published.
    private static func rotate(_ service: RunningService) throws {
        // Whole seconds, later than the times of the keys that the service has.
        let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.up))
        let ledger = "sqlite:\(service.folder.path("ledger.sqlite"))"
        let file = try service.folder.write("rotated.b64", Base64.encode(scalar, .standard))
        try #require(chmod(file, 0o600) == 0)
        let result = try service.run([
            "keys", "add", "rotated", "--use", "assay-token", "--private-key",
            "file:\(file)", "--not-before",
            RFC3339.format(start), "--ledger", ledger, "--master-key",
            "file:\(service.folder.path("master.key"))",
        ])
        try #require(result.status == 0, "\(result)")
        let keyID = JWKThumbprint.p256(try issuerKey.get().publicPoint)
        try service.waitUntil("published") {
            Date() >= start
                && (try? service.send("GET", "/.well-known/jwks.json", type: nil).body.contains(keyID)) ?? false
        }
    }

    /// Tokens that no backend may accept.
    private static func refused() throws -> [(name: String, token: String)] {
        let now = Int64(Date().timeIntervalSince1970)
        let key = try issuerKey.get()
        return [
            (
                "expired",
                try token {
                    $0.claims["iat"] = .integer(now - 301)
                    $0.claims["exp"] = .integer(now - 1)
                }
            ),
            ("no exp", try token { $0.claims["exp"] = nil }),
            ("another audience", try token { $0.claims["aud"] = "https://other.example.com" }),
            (
                "two audiences",
                try token { $0.claims["aud"] = [.text(TokenTests.audience), "https://other.example.com"] }
            ),
            ("another issuer", try token { $0.claims["iss"] = .text(TokenTests.issuer + "/") }),
            ("another type", try token { $0.token.header["typ"] = "JWT" }),
            ("no type", try token { $0.token.header["typ"] = nil }),
            ("a changed signature", try token { $0.token.changeSignature = { $0.reversed() } }),
            ("another key's signature", try token { $0.token.signer = .es256(attacker) }),
            (
                "a key in the header",
                try token {
                    $0.token.signer = .es256(attacker)
                    $0.token.header["jwk"] = AssayTokenBlueprint.jwk(attacker)
                    $0.token.header["kid"] = .text(JWKThumbprint.p256(attacker.publicPoint))
                }
            ),
            (
                "alg none",
                try token {
                    $0.token.signer = .none
                    $0.token.header["alg"] = "none"
                }
            ),
            (
                "HS256 with the public key",
                try token {
                    $0.token.signer = .hs256(key.publicPoint)
                    $0.token.header["alg"] = "HS256"
                }
            ),
            ("another app", try token { $0.claims["app"] = "lab" }), ("no app", try token { $0.claims["app"] = nil }),
            ("not in force yet", try token { $0.claims["nbf"] = .integer(now + 200) }),
            ("on the caller's word", try token { $0.claims["env"] = "caller" }),
            ("of an unknown environment", try token { $0.claims["env"] = "staging" }),
            ("of an environment that is no text", try token { $0.claims["env"] = .flag(true) }),
            ("for one use", try token { $0.claims["use"] = "once" }),
            ("no token", "a.b.c"),
        ]
    }

    @Test(
        "A backend checks tokens by discovery alone, also across a rotation, and accepts no other",
        arguments: backends.filter(\.isInstalled))
    func backend(_ backend: Backend) throws {
        let service = try TokenTests.start("testAuthorities: allow, key: optional")
        let eager = try Running(backend, service, cooldown: 0)
        let slow = try Running(backend, service, cooldown: 86_400)
        let before = try #require(try TokenTests.issue(service, "before", jkt: nil).json["token"] as? String)
        for running in [eager, slow] {
            let answer = try running.answers(to: [Self.request(before)])
            #expect(
                answer[0].hasPrefix("accepted") && answer[0].replacing("\\/", with: "/").contains(TokenTests.audience),
                "\(answer)")
        }

        try Self.rotate(service)
        let after = try #require(try TokenTests.issue(service, "after", jkt: nil).json["token"] as? String)
        let jws = try CompactJWS(Array(after.utf8), limit: 4096)
        #expect(jws.header.keyID == JWKThumbprint.p256(try Self.issuerKey.get().publicPoint))
        // A fetch for an unknown key waits until the last fetch is old enough.
        let waiting = try slow.answers(to: [after, before].map { Self.request($0) })
        #expect(waiting[0].hasPrefix("refused") && waiting[1].hasPrefix("accepted"), "\(waiting)")
        for answer in try eager.answers(to: [after, before, try Self.token { _ in }].map { Self.request($0) }) {
            #expect(answer.hasPrefix("accepted"), "\(answer)")
        }

        // No genuine device stands behind the token of a test authority.
        let strict = try Running(backend, service, cooldown: 1, acceptsTestTokens: false)
        let development = try Self.token { $0.claims["env"] = "development" }
        let judged = try strict.answers(
            to: [after, development, try Self.token { $0.claims["jti"] = "2" }].map { Self.request($0) })
        for answer in judged.prefix(2) {
            #expect(answer.hasPrefix("refused") && answer.contains("no genuine device"), "\(judged)")
        }
        #expect(judged[2].hasPrefix("accepted"), "\(judged)")
        #expect(try eager.answers(to: [Self.request(development)])[0].hasPrefix("accepted"))

        let refused = try Self.refused()
        let answers = try eager.answers(to: refused.map { Self.request($0.token) })
        for (answer, (name, _)) in zip(answers, refused) { #expect(answer.hasPrefix("refused"), "\(name): \(answer)") }
        try proofs(backend, service, eager)
    }

    /// Tokens that are bound to a key.
    private func proofs(_ backend: Backend, _ service: RunningService, _ running: Running) throws {
        let token = try #require(try TokenTests.issue(service, "bound").json["token"] as? String)
        let other = try #require(try TokenTests.issue(service, "other").json["token"] as? String)
        let genuine = try TokenTests.proof(token, id: "1")
        let requests: [(name: String, request: String, isAccepted: Bool)] = [
            ("proof", Self.request(token, genuine), true), ("again", Self.request(token, genuine), false),
            ("no proof", Self.request(token), false),
            ("another token", Self.request(other, try TokenTests.proof(token, id: "2")), false),
            ("another target", Self.request(token, try TokenTests.proof(token, id: "3", target: "/admin")), false),
            (
                "another method",
                "POST" + Self.request(token, try TokenTests.proof(token, id: "4")).dropFirst(3), false
            ),
            ("another key", Self.request(token, try TokenTests.proof(token, id: "5", key: Self.attacker)), false),
            ("the next proof", Self.request(other, try TokenTests.proof(other, id: "6")), true),
        ]
        for (answer, (name, _, isAccepted)) in zip(try running.answers(to: requests.map(\.request)), requests) {
            let expected = isAccepted && backend.checksProofs ? "accepted" : "refused"
            #expect(answer.hasPrefix(expected), "\(name): \(answer)")
        }
    }
}
