import AssayTestSupport
import Foundation
import Testing

/// The standard clients of other languages with their defaults, as a backend uses them: with connections that they keep, and Java's
/// with `Upgrade: h2c` in its requests.
@Suite("Clients with their defaults", .timeLimit(.minutes(30)))
struct DefaultClientTests {
    struct Client: Sendable, CustomTestStringConvertible {
        let file: String
        /// The command that runs it, with the certificate one.pem of the folder as the only authority.
        let command: String
        /// A command that succeeds where the language is installed.
        let probe: String
        var testDescription: String { file }

        var isInstalled: Bool { (try? TestFolder().shell("\(probe) >/dev/null 2>&1")) == 0 }
    }

    static let clients = [
        Client(file: "client.py", command: "SSL_CERT_FILE=one.pem python3 PROGRAM", probe: "python3 --version"),
        Client(file: "client.mjs", command: "NODE_EXTRA_CA_CERTS=one.pem node PROGRAM", probe: "node -e 'fetch'"),
        Client(
            file: "client.go", command: "go build -o built PROGRAM && SSL_CERT_FILE=one.pem ./built",
            probe: "go version"),
        Client(
            file: "Client.java",
            command: "keytool -J-XX:-UsePerfData -importcert -noprompt -alias one -file one.pem -keystore trust.p12 "
                + "-storepass changeit && java -XX:-UsePerfData -Xlog:disable -Xlog:all=warning:stderr -Djavax.net.ssl.trustStore=trust.p12 "
                + "-Djavax.net.ssl.trustStorePassword=changeit PROGRAM",
            probe: "java -XX:-UsePerfData --list-modules | grep jdk.compiler"),
    ]

    @Test(
        "All requests of a client are answered, on a connection that it keeps and after the service has closed it",
        arguments: clients.filter(\.isInstalled), [false, true])
    func keptConnections(_ client: Client, isTLS: Bool) throws {
        // A JVM takes a second for its first handshake, and longer on a busy machine.
        let service = try TLSTests.service(["limits.idleTime=10s"], isTLS: isTLS)
        let file = TestVectors.folder.deletingLastPathComponent()
            .appendingPathComponent("Tests/Support/Peers/clients/\(client.file)").path
        let status = try service.folder.shell(
            "export HOME=\"$PWD\"; \(client.command.replacingOccurrences(of: "PROGRAM", with: "'\(file)'")) "
                + "\(isTLS ? "https" : "http")://localhost:\(service.port)/v1/challenges 14 >output 2>errors")
        let output = service.folder.read("output").split(separator: "\n").suffix(5)
        #expect(
            status == 0 && output == Array(repeating: "201", count: 5)[...],
            "\(service.folder.read("output")) \(service.folder.read("errors"))")
    }
}
