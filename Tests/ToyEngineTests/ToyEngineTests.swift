import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayInspection
import AssayProgram
import AssayTestSupport
import AssayVectors
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing
import ToyEngine

/// An engine that is registered is known to the library and to the commands without a line elsewhere.
@Suite("An additional engine")
struct ToyEngineTests {
    private static let engines = EngineRegistry(EngineRegistry.standard.engines + [ToyEngine.self])
    private static let policy = "version: 1\napps: [{ name: box, toy: { word: hello } }]\n"
    private static let record =
        #"{"id":"toy-1","kind":"toy.stamp","receivedAt":"2026-04-21T18:13:12Z","#
        + #""evidence":{"stamp":"TOY:hello","owner":"a child"}}"#

    private static func readPolicy(_ text: String = policy) throws -> VerificationPolicy {
        try PolicyFile.parse(text, file: nil, files: LocalFiles(relativeTo: "policy"), engines: engines)
    }

    @Test("The library reads its policies and judges its records, and only with the registry that has it")
    func library() async throws {
        let record = try #require(try RecordFile.read(Array(Self.record.utf8)).first?.get())
        let verifier = Verifier(policy: try Self.readPolicy(), ledger: MemoryLedger(), engines: Self.engines)
        let verdict = try await verifier.verify(record, at: Date())
        #expect(verdict.outcome == .accept && verdict.checks.map(\.check) == [ToyEngine.word])
        let other = try Self.readPolicy(Self.policy.replacing("hello", with: "bye"))
        let rejected = try await Verifier(policy: other, ledger: MemoryLedger(), engines: Self.engines)
            .verify(record, at: Date())
        #expect(rejected.outcome == .reject && rejected.failed == [ToyEngine.word])
        #expect(throws: PolicyError.self) {
            try PolicyFile.parse(Self.policy, file: nil, files: LocalFiles(relativeTo: "policy"))
        }
        #expect(try record.redacted(knowing: Self.engines).evidence.members.map(\.name) == ["stamp"])
        #expect(throws: CaptureError.self) { try record.redacted() }
        #expect(Self.engines.inspector.inspect(Array("TOY:hello".utf8), name: "blob").format == ToyStampFormat.name)
    }

    @Test("A server guards its routes with it")
    func middleware() async throws {
        let verifier = Verifier(policy: try Self.readPolicy(), ledger: MemoryLedger(), engines: Self.engines)
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(
            middleware: try EvidenceMiddleware(ReloadableVerifier(verifier, logger: Logger(label: "toy")), app: "box"))
        router.get("shelf") { _, _ in "full" }
        let name = try #require(HTTPField.Name("Toy-Stamp"))
        try await Application(router: router).test(.router) { client in
            for (stamp, status, challenge) in [("TOY:hello", 200, nil), ("TOY:bye", 401, "Toy"), (nil, 401, "Toy")] {
                let fields: HTTPFields = stamp.map { [name: $0] } ?? [:]
                try await client.execute(uri: "/shelf", method: .get, headers: fields) { response in
                    #expect(response.status.code == status)
                    #expect(response.headers[.wwwAuthenticate] == challenge)
                }
            }
        }
    }

    @Test("Policies are replayed with it")
    func replay() async throws {
        let folder = try TestFolder()
        let records = (0..<3).map { Self.record.replacing("toy-1", with: "toy-\($0)") }.joined(separator: "\n")
        try Data(records.utf8).write(to: folder.url.appendingPathComponent("records.ndjson"))
        try Data(Self.policy.utf8).write(to: folder.url.appendingPathComponent("policy.yaml"))
        let run = try await Self.assay("replay", folder.path("."), "--json")
        #expect(run.failure == nil, "\(run)")
        #expect(
            run.output.split(separator: "\n").count {
                $0.contains(#""outcome":"accepted""#) || $0.contains(#""outcome":"accept""#)
            } == 3, "\(run)")
    }

    @Test("Commands verify, inspect, explain and redact its evidence")
    func commands() async throws {
        let folder = try TestFolder()
        func write(_ name: String, _ text: String) throws -> String {
            try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
            return folder.path(name)
        }
        let policy = try write("policy.yaml", Self.policy)
        let record = try write("record.json", Self.record)
        let stamp = try write("stamp.txt", "TOY:hello\n")
        let raw = ["verify", "--kind", "toy.stamp", stamp]
        let table: [(arguments: [String], status: Int32, words: String)] = [
            (["verify", "--policy", policy, record], 0, "ACCEPTED"),
            (raw + ["--policy", policy], 0, "ACCEPTED"),
            (raw + ["--word", "hello", "--owner", "a child"], 0, "ACCEPTED"),
            (raw + ["--set", "word=hello"], 0, "ACCEPTED"),
            (raw + ["--word", "bye"], 1, "rejected because: toy.stamp.word:"),
            (raw + ["--word", "hello", "--set", "checks.word=annotate"], 0, "ACCEPTED"),
            (raw + ["--word", "hello", "--set", "checks.word=maybe"], 64, "expected one of enforce, annotate, off"),
            (raw, 64, "--word is required without --policy: it is what is compared"),
            (raw + ["--word", "two words"], 64, "--word: expected one word"),
            (raw + ["--set", "wrod=hello", "--word", "x"], 64, "--set wrod: unknown field; allowed are word"),
            (raw + ["--word", "x", "--set", "checks.wrod=off"], 64, "did you mean toy.stamp.word?"),
            (raw + ["--word", "x", "--key-id", "AAAA"], 64, "toy.stamp has no option --key-id"),
            (["inspect", stamp], 0, ToyStampFormat.name),
            (["inspect", stamp, "--policy", policy], 0, "ACCEPTED"),
            (["explain", "toy.stamp.word"], 0, "Stamps of other toys."),
            (["capture", "redact", record], 0, #""evidence":{"stamp":"TOY:hello"}"#),
            (["verify", "--help-all"], 0, "RAW BLOBS OF TOY"),
        ]
        for entry in table {
            let run = try await Self.assay(entry.arguments)
            #expect(run.status == entry.status, "\(entry.arguments): \(run)")
            #expect("\(run.output)\(run.errors)".contains(entry.words), "\(entry.arguments): \(run)")
        }
        let unregistered = try await Self.assay(raw + ["--word", "hello"], engines: .standard)
        #expect(unregistered.status == 64, "\(unregistered)")
    }

    @Test("A report of a replay explains its check")
    func report() async throws {
        let folder = try TestFolder()
        let corpus = try folder.write("records.ndjson", Array(Self.record.utf8))
        let policy = try folder.write("policy.yaml", Array(Self.policy.replacing("hello", with: "bye").utf8))
        let run = try await Self.assay(["replay", corpus, "--policy", policy, "--report", folder.path("report.html")])
        #expect(run.status == 0, "\(run)")
        let page = try String(contentsOfFile: folder.path("report.html"), encoding: .utf8)
        #expect(page.contains("Stamps of other toys."))
    }

    @Test("Its vectors are minted, judged and replayed")
    func vectors() async throws {
        let folder = try TestFolder()
        try await ToyVectors.write(to: folder.url.appendingPathComponent("vectors"), at: Date())
        let replay = try await Self.assay(["replay", folder.path("vectors"), "--ledger-per-file"])
        #expect(replay.status == 0 && replay.output.contains("2"), "\(replay)")
        let text = try String(contentsOfFile: folder.path("vectors/stamps.json"), encoding: .utf8)
        #expect(text.contains("word-differs"), "\(text)")
    }

    // MARK: Commands in this process

    private struct Run {
        let status: Int32
        let output: String
        let errors: String
        let failure: String?
    }

    private static func assay(_ arguments: String...) async throws -> Run { try await assay(arguments) }

    private static func assay(_ arguments: [String], engines: EngineRegistry = engines) async throws -> Run {
        let folder = try TestFolder()
        func file(_ name: String) throws -> FileHandle {
            try Data().write(to: folder.url.appendingPathComponent(name))
            return try FileHandle(forWritingTo: folder.url.appendingPathComponent(name))
        }
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.url.appendingPathComponent(name)), as: UTF8.self)
        }
        let (output, errors) = (try file("out"), try file("err"))
        let status = await EngineRegistry.$current.withValue(engines) {
            await Console.$output.withValue(output.fileDescriptor) {
                await Console.$errors.withValue(errors.fileDescriptor) { await AssayCommand.status(of: arguments) }
            }
        }
        return Run(
            status: status, output: try text("out"), errors: try text("err"), failure: status == 0 ? nil : "\(status)")
    }
}
