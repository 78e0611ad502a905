import AssayTestSupport
import Foundation
import Testing

/// The example clients in other languages, against the running service.
@Suite("Example clients", .timeLimit(.minutes(30)))
struct ClientTests {
    struct Client: Sendable, CustomTestStringConvertible {
        let file: String
        /// The command that runs it; the arguments follow.
        let command: String
        /// A command that succeeds where the language is installed.
        let probe: String
        var testDescription: String { file }

        var isInstalled: Bool { (try? TestFolder().shell("\(probe) >/dev/null 2>&1")) == 0 }
    }

    static let clients = [
        Client(file: "client.py", command: "python3 FILE", probe: "python3 --version"),
        Client(file: "client.mjs", command: "node FILE", probe: "node -e 'fetch'"),
        Client(file: "client.go", command: "go build -o built FILE && ./built", probe: "go version"),
        Client(
            file: "Client.java", command: "java -XX:-UsePerfData -Xlog:disable -Xlog:all=warning:stderr FILE",
            probe: "java -XX:-UsePerfData --list-modules | grep jdk.compiler"),
    ]

    @Test(
        "A client issues a challenge, registers a key, sees a replay rejected, a wrong call refused and an outage",
        arguments: clients.filter(\.isInstalled))
    func client(_ client: Client) throws {
        let service = try RunningService()
        let file = TestVectors.folder.deletingLastPathComponent().appendingPathComponent(
            "Examples/clients/\(client.file)"
        ).path
        let command = client.command.replacingOccurrences(of: "FILE", with: "'\(file)'")
        func run(_ arguments: String, port: Int) throws -> (status: Int32, output: String, errors: String) {
            let status = try service.folder.shell(
                "export ASSAY_URL=http://127.0.0.1:\(port) ASSAY_TOKEN=x HOME=\"$PWD\"; \(command) \(arguments) "
                    + ">output 2>errors")
            return (
                status, try String(contentsOfFile: service.folder.path("output"), encoding: .utf8),
                try String(contentsOfFile: service.folder.path("errors"), encoding: .utf8)
            )
        }
        let issued = try run("challenge bank", port: service.port)
        let challenge = issued.output.trimmingCharacters(in: .newlines)
        #expect(issued.status == 0 && challenge.utf8.count == 44, "\(issued)")
        try service.folder.write(
            "record.json", Evidence.attestation("a", app: "bank", challenge: Array(challenge.utf8)))
        #expect(try run("verify record.json", port: service.port).status == 0)
        let replay = try run("verify record.json", port: service.port)
        #expect(replay.status == 1 && replay.errors.contains("new-challenge"), "\(replay)")
        let unknown = try run("challenge nobody", port: service.port)
        let mistyped = try run("verfy record.json", port: service.port)
        #expect(mistyped.status == 2, "\(mistyped)")
        let alone = try run("", port: service.port)
        #expect(alone.status == 2 && alone.errors.contains("challenge APP"), "\(alone)")
        #expect(unknown.status == 2 && unknown.errors.contains("nobody"), "\(unknown)")
        // A port on which nothing listens.
        #expect(try run("verify record.json", port: 1).status == 3)
    }

    @Test("Each client has fewer than 60 lines")
    func length() throws {
        let folder = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Examples/clients")
        for client in Self.clients {
            let text = try String(contentsOf: folder.appendingPathComponent(client.file), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(lines.count < 60, "\(client.file)")
        }
    }
}
