import Foundation
import Testing

/// What a foreign program writes to its standard error, such as the warning of a JVM, must not be read as its output.
@Suite("Foreign programs that tests and scripts start")
struct ForeignProgramTests {
    /// Files in which both streams of a program go to one place, because nothing is read of it but by a person, or because both are
    /// searched alike.
    private static let joined: Set<String> = [
        "Tests/AssayServiceTests/Gateways/Gateway.swift", "Tests/AssayLedgerPostgreSQLTests/Pooler.swift",
        // The log of the server.
        "Tests/AssayLedgerPostgreSQLTests/TestCluster.swift",
    ]
    /// The same in the shell: a log that is shown if the program fails.
    private static let joinedInShell: Set<String> = [
        "Tests/AssayServiceTests/SoakTests.swift", "Tests/AssayServiceTests/Monitoring/MonitoringExampleTests.swift",
        "Tests/AssayServiceTests/Monitoring/MetricsTests.swift",
        "Tests/AssayTestingTests/AndroidKey/AndroidChainTests.swift",
    ]

    private static func files(_ folders: [String], _ isWanted: (String) -> Bool) throws -> [(
        path: String, text: String
    )] {
        try folders.flatMap { folder in
            let paths = try #require(
                FileManager.default.subpaths(atPath: Page.root.appendingPathComponent(folder).path))
            return paths.sorted().map { "\(folder)/\($0)" }.filter(isWanted).compactMap { path in
                (try? String(contentsOf: Page.root.appendingPathComponent(path), encoding: .utf8)).map {
                    (path: path, text: $0)
                }
            }
        }.filter { $0.path != "Tests/ReadmeTests/ForeignProgramTests.swift" }
    }

    @Test("Tests keep standard output and standard error apart")
    func streams() throws {
        var found: (inSwift: Set<String>, inShell: Set<String>) = ([], [])
        for (path, text) in try Self.files(["Tests"], { $0.hasSuffix(".swift") }) {
            let errors = text.matches(of: /standardError = (\w+)\n/).map { String($0.1) }
            if errors.contains(where: { text.contains("standardOutput = \($0)\n") })
                || text.contains("standardOutput = process.standardError")
                || text.contains(/\(\w+\.standardError, \w+\.standardOutput\) = \((\w+), \1\)/)
            {
                found.inSwift.insert(path)
            }
            if text.replacing(">/dev/null 2>&1", with: "").contains("2>&1") { found.inShell.insert(path) }
        }
        #expect(found.inSwift == Self.joined)
        #expect(found.inShell == Self.joinedInShell)
    }

    @Test("Each JVM runs without performance data, whose file another JVM may lock")
    func virtualMachines() throws {
        let files =
            try Self.files(["Tests", "Scripts"]) { !$0.contains("__pycache__") }
            + Self.files(["Examples"]) { $0.hasPrefix("Examples/spark/") }
        var count = 0
        for (path, text) in files {
            for line in text.split(separator: "\n")
            where line.contains(/(^|["(&|; ])(exec )?java +-|javac +-|"java FILE/) {
                count += 1
                #expect(line.contains("-XX:-UsePerfData"), "\(path): \(line)")
            }
        }
        #expect(count >= 5)
        let spark = try String(
            contentsOf: Page.root.appendingPathComponent("Tests/Spark/test_replay.py"), encoding: .utf8)
        #expect(spark.contains("SPARK_LAUNCHER_OPTS") && spark.contains("extraJavaOptions={NO_PERFORMANCE_DATA}"))
    }
}
