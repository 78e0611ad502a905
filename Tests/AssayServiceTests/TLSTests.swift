import AssayTestSupport
import Foundation
import Testing

@Suite("TLS of the service", .timeLimit(.minutes(30)))
struct TLSTests {
    /// Writes a self-signed certificate NAME.pem for localhost, and its key NAME.key.
    private static func writeCertificate(_ name: String, in folder: TestFolder) throws {
        let status = try folder.shell(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=\(name)' "
                + "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout \(name).key -out \(name).pem 2>/dev/null")
        try #require(status == 0)
    }

    /// Starts a service whose folder has certificates for localhost, and by default uses one.pem.
    static func service(_ settings: [String] = [], isTLS: Bool = true) throws -> RunningService {
        let tls = isTLS ? ["tls.certificate=one.pem", "tls.privateKey=one.key"] : []
        return try RunningService(tls + settings) { folder in
            for name in ["one", "two", "client"] { try writeCertificate(name, in: folder) }
        }
    }

    /// Asks for a check with `openssl s_client`, and returns the status line and the subject of the certificate.
    private static func ask(_ service: RunningService, _ options: String = "") throws -> (
        answer: String, subject: String
    ) {
        let request = #"GET /v1/checks/challenge-expired HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"#
        try service.folder.shell(
            "printf '\(request)' | openssl s_client -connect 127.0.0.1:\(service.port) -servername localhost -ign_eof "
                + "\(options) >answer 2>errors || true")
        let text = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: service.folder.path("answer"))), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        return (
            lines.compactMap { line in line.range(of: "HTTP/1.1 ").map { String(line[$0.lowerBound...]) } }.first ?? "",
            lines.first { $0.hasPrefix("subject=") }?.replacingOccurrences(of: " ", with: "") ?? ""
        )
    }

    @Test("Requests are served over TLS, and a certificate that was replaced is used after SIGHUP")
    func reload() throws {
        let service = try Self.service()
        let first = try Self.ask(service, "-CAfile one.pem -verify_return_error")
        #expect(first.answer == "HTTP/1.1 200 OK" && first.subject == "subject=CN=one", "\(first)")
        #expect(try Self.ask(service, "-tls1_1").answer.isEmpty)
        let plain = try service.connect()
        plain.write("GET /v1/checks HTTP/1.1\r\nHost: localhost\r\n\r\n")
        plain.finish()
        #expect(HTTPAnswer(plain.readToEnd()).status == 0)
        // A key of another certificate changes nothing.
        try service.folder.shell("cp two.key one.key")
        service.signal(SIGHUP)
        try service.waitUntil("refused") {
            !service.entries("reload failed: the policy and certificates before stay in use").isEmpty
        }
        #expect(try Self.ask(service).subject == "subject=CN=one")
        try service.folder.shell("cp two.pem one.pem")
        service.signal(SIGHUP)
        try service.waitUntil("reloaded") { (try? Self.ask(service).subject) == "subject=CN=two" }
    }

    @Test("A certificate of one listener that cannot be used keeps the certificates of all listeners and the policy")
    func reloadOfAll() throws {
        let service = try Self.service([
            "admin=127.0.0.1:0", "adminTLS.certificate=client.pem", "adminTLS.privateKey=client.key",
        ])
        let digest = try #require(service.entries("ready").first?["assay.policyDigest"] as? String)
        // The files of the operators' listener are read last.
        try service.folder.shell("cp two.key client.key; cp two.key one.key; cp two.pem one.pem; echo >>policy.yaml")
        service.signal(SIGHUP)
        try service.waitUntil("refused") {
            !service.entries("reload failed: the policy and certificates before stay in use").isEmpty
        }
        #expect(try Self.ask(service).subject == "subject=CN=one")
        try service.folder.shell("cp two.pem client.pem")
        service.signal(SIGHUP)
        try service.waitUntil("reloaded") { !service.entries("reloaded").isEmpty }
        #expect(try Self.ask(service).subject == "subject=CN=two")
        #expect(service.entries("reloaded").first?["assay.previousDigest"] as? String == digest)
    }

    @Test("Where clients need certificates, none and those of another authority are refused")
    func clients() throws {
        let service = try Self.service(["tls.clientAuthorities=client.pem"])
        #expect(try Self.ask(service).answer.isEmpty)
        #expect(try Self.ask(service, "-cert two.pem -key two.key").answer.isEmpty)
        #expect(try Self.ask(service, "-cert client.pem -key client.key").answer == "HTTP/1.1 200 OK")
    }

    @Test("A key that does not belong to the certificate is refused at the start, and nothing of it is shown")
    func wrongKey() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        for name in ["one", "two"] { try Self.writeCertificate(name, in: folder) }
        // As a key that is none: others may not read it.
        try #require(chmod(folder.path("one.pem"), 0o600) == 0)
        let program = try BuiltProducts.url("assay").path
        for (certificate, key, words) in [
            ("one.pem", "two.key", "do not belong together"), ("one.key", "one.key", "no certificate in PEM"),
            ("one.pem", "one.pem", "no private key"),
            ("none.pem", "one.key", "none.pem: the file cannot be read: it does not exist"),
        ] {
            let status = try folder.shell(
                "'\(program)' serve --create-ledger --open --policy policy.yaml --ledger sqlite:l.sqlite --listen 127.0.0.1:0 --set admin=none "
                    + "--set tls.certificate=\(certificate) --set tls.privateKey=\(key) 2>errors")
            let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
            #expect(status == 2 && errors.contains(words), "\(errors)")
            #expect(!errors.contains("PRIVATE KEY"))
        }
    }
}
