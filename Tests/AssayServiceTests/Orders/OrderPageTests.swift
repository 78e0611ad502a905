import AssayTestSupport
import Foundation
import Testing

/// Docs/orders.md, command by command.
@Suite("The page on orders", .timeLimit(.minutes(30)))
struct OrderPageTests {
    private static let root = TestVectors.folder.deletingLastPathComponent()
    private static let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"] ?? ""
    private static let isInstalled =
        (try? TestFolder().shell(
            "{ '\(python)' -c 'import fastapi, uvicorn, urllib3' && curl --version; } >/dev/null 2>&1")) == 0

    /// The blocks in a language, and the lines that the page says are printed.
    private static func page() throws -> (blocks: [String], printed: [Substring]) {
        let text = try String(contentsOf: root.appendingPathComponent("Docs/orders.md"), encoding: .utf8)
        let parts = text.components(separatedBy: "```")
        let blocks = parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map {
            String($0.element.dropFirst("console\n".count))
        }
        let prose = parts.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
        return (blocks, prose.split(separator: "\n").filter { $0.hasPrefix("    {") }.map { $0.dropFirst(4) })
    }

    /// Starts what the last command of a block starts in the background, and waits until it listens.
    private static func server(_ block: String, _ name: String, port: Int) -> String {
        """
        \(block.trimmingCharacters(in: .newlines)) >\(name).output 2>\(name).errors &
        \(name)=$!
        until (: </dev/tcp/127.0.0.1/\(port)) 2>/dev/null; do kill -0 $\(name); sleep 0.1; done

        """
    }

    /// A line of JSON, without the name of a verdict, which is random.
    private static func json(_ line: Substring) throws -> NSDictionary {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        if object["outcome"] != nil { object["id"] = nil }
        return object as NSDictionary
    }

    @Test(
        "Its commands enrol a test phone, have an order accepted and its replay refused, and show an outage",
        .enabled(if: isInstalled), arguments: ["orders.py", "orders.mjs"])
    func commands(_ file: String) throws {
        var (blocks, printed) = try Self.page()
        try #require(blocks.count == 7 && printed.count == 5)
        let folder = try TestFolder()
        // The environment has what pip would install.
        let environment = URL(fileURLWithPath: Self.python).deletingLastPathComponent().deletingLastPathComponent()
        for (name, place) in [("Examples", Self.root.appendingPathComponent("Examples")), ("venv", environment)] {
            try FileManager.default.createSymbolicLink(
                at: folder.url.appendingPathComponent(name), withDestinationURL: place)
        }
        blocks[1] = blocks[1].replacing("python3 -m venv venv\n", with: "")
        if file == "orders.mjs" {
            let text = try String(contentsOf: Self.root.appendingPathComponent("Docs/orders.md"), encoding: .utf8)
            let command = try #require(text.firstMatch(of: /`(PORT=8000 node [^`]+)`/)).1
            blocks[1] = blocks[1].replacing(/venv\/bin\/uvicorn .*/, with: command)
        }
        let (assay, shop) = try (Loopback.freePort(), Loopback.freePort())
        let script =
            // Threads of a test block SIGTERM, and programs that do not unblock it would stay.
            "set -e\ntrap 'kill -KILL $assay $shop 2>/dev/null || :; wait' EXIT\n"
            + Self.server(blocks[0], "assay", port: assay)
            // It prints when all its files are there.
            + "until [ -s assay.output ]; do kill -0 $assay; sleep 0.1; done\n"
            + Self.server(blocks[1], "shop", port: shop)
            + blocks[2...5].joined() + "kill $assay\nwait $assay\n" + blocks[6]
        let program = try BuiltProducts.url("assay").deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let run = try ProgramRun(
            "/bin/bash", ["-c", script.replacing("8000", with: "\(shop)").replacing(":8080", with: ":\(assay)")],
            in: folder.url,
            environment: [
                "HOME": folder.url.path, "PATH": "\(program):\(path)", "PYTHONDONTWRITEBYTECODE": "1",
                // Everything is there, and a slow network makes pip wait for minutes.
                "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1",
            ])
        let log = folder.read("assay.errors") + folder.read("shop.errors")
        try #require(run.status == 0, "\(run.text) \(log)")
        let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(try lines.prefix(5).map(Self.json) == printed.map(Self.json), "\(run.text) \(log)")
        #expect(
            run.output.contains("HTTP/1.1 503 ") && run.output.lowercased().contains("\nretry-after: 5\r\n"),
            "\(run.text)")
    }
}
