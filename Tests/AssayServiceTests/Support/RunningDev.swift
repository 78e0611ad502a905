import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// The program `assay dev` in a process of its own.
final class RunningDev {
    /// Where temporary folders of the program are, and what it prints.
    let folder: TestFolder
    private let process = Process()
    private let output: String
    private let log: String

    /// Starts the command, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - folder: the folder of another start, to share; nil for one of its own.
    ///   - umask: the umask of the process, in octal digits.
    ///   - isAwaited: whether to wait until the service is ready.
    init(_ arguments: [String] = [], in folder: TestFolder? = nil, umask: String = "022", isAwaited: Bool = true) throws
    {
        let folder = try folder ?? TestFolder()
        self.folder = folder
        let name = UUID().uuidString
        (output, log) = (try folder.write("printed/\(name).out", ""), try folder.write("printed/\(name).err", ""))
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", "umask \(umask); exec \"$@\"", "sh", try BuiltProducts.url("assay").path, "dev"] + arguments
        // Another service's variables must not count.
        process.environment = [
            "HOME": folder.url.path, "TMPDIR": folder.url.path, "PATH": "/usr/bin:/bin", "ASSAY_LISTEN": "192.0.2.1:1",
            "ASSAY_POLICY": "/nonexistent",
        ].merging(Sanitizer.environment) { $1 }
        process.currentDirectoryURL = folder.url
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try process.run()
        guard isAwaited else { return }
        try waitFor("ready: \(errors)") { isReady || !process.isRunning ? () : nil }
        try #require(process.isRunning, "\(printed)\(errors)")
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Whether the command has printed everything.
    private var isReady: Bool { commands.count == 3 && printed.hasSuffix("\n") }

    var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
    var errors: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// The URL of the service.
    var url: String { text(after: "ready at ", upTo: ",") }
    var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }
    /// The folder that the command has printed.
    var root: String { text(after: "folder     ", upTo: " (") }
    var token: String {
        ((try? String(contentsOfFile: "\(root)/operator.token", encoding: .utf8)) ?? "").trimmingCharacters(
            in: .newlines)
    }

    /// The commands to try, each as it is copied.
    var commands: [String] {
        printed.components(separatedBy: "\n# ").dropFirst().map { text in
            text.split(separator: "\n").dropFirst().joined(separator: "\n")
        }
    }

    /// The temporary folders that there are.
    var temporaryFolders: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).filter {
            $0.hasPrefix("assay-dev.")
        }
    }

    private func text(after start: String, upTo end: String) -> String {
        guard let range = printed.firstRange(of: start) else { return "" }
        return printed[range.upperBound...].components(separatedBy: end).first ?? ""
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    var isRunning: Bool { process.isRunning }

    /// Waits for the end, and returns the exit status, or the negated number of the signal that ended the process.
    func wait() throws -> Int32 {
        try process.end()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Ends the command as Ctrl-C does.
    func stop() throws {
        signal(SIGINT)
        #expect(try wait() == 0, "\(errors)")
    }

    /// Runs another command of the program in the folder of the service.
    func assay(_ arguments: String...) throws -> ProgramRun {
        try ProgramRun(
            BuiltProducts.url("assay").path, arguments, in: URL(fileURLWithPath: root),
            environment: ["HOME": folder.url.path])
    }

    // MARK: Requests

    func send(_ method: String, _ path: String, body: String = "", token: String? = nil) throws -> HTTPAnswer {
        let connection = try Connection(port: port)
        connection.write(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(token ?? self.token)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return HTTPAnswer(connection.readToEnd())
    }

    /// A challenge for an app.
    func challenge(_ app: String, _ kind: String) throws -> String {
        let answer = try send("POST", "/v1/challenges", body: #"{"app":"\#(app)","kind":"\#(kind)"}"#)
        return try #require(answer.json["challenge"] as? String, "\(answer)")
    }

    /// The record that a phone makes of a challenge.
    func evidence(of phone: String, challenge: String) throws -> String {
        let run =
            switch phone {
            case "ios": try assay("mint", "app-attest", "attestation", "--device", "ios.json", "--challenge", challenge)
            case "android":
                try assay("mint", "play-integrity", "classic", "--device", "android.json", "--nonce", challenge)
            case "android-key":
                try assay(
                    "mint", "android-key", "attestation", "--device", "android-key.json", "--challenge", challenge)
            case "standard":
                try assay("mint", "play-integrity", "standard", "--device", "android.json", "--request-hash", challenge)
            default: try assay("mint", "approov", "--device", "api.json", "--record")
            }
        try #require(run.status == 0, "\(run.text)")
        return run.output.trimmingCharacters(in: .newlines)
    }

    /// The record of a phone for its app, with a challenge of the service if the kind has one.
    func evidence(of phone: String) throws -> String {
        let kinds = [
            "ios": "app-attest.attestation", "android": "play-integrity.classic",
            "android-key": "android-key.attestation",
        ]
        return try evidence(of: phone, challenge: try kinds[phone].map { try challenge(phone, $0) } ?? "aGVsbG8")
    }

    /// The failed checks of the service's verdict; nil for an acceptance.
    func judge(_ record: String) throws -> [String]? {
        let answer = try send("POST", "/v1/verify", body: record)
        let outcome = try #require(answer.json["outcome"] as? String, "\(answer)")
        return outcome == "accept" ? nil : answer.json["failed"] as? [String]
    }
}
