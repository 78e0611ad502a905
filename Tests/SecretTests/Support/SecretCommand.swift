import AssayTestSupport
import Foundation

extension SecretAccount {
    /// What a run of the program said, on its output and its error stream, and how it ended.
    struct Run {
        let status: Int32
        let said: [UInt8]

        var text: String { String(decoding: said, as: UTF8.self) }
    }

    /// Runs `assay` in the folder with words that have no spaces, and nothing of the environment but what is given.
    func assay(_ line: String, input: String = "", environment: [String: String] = [:]) throws -> Run {
        let process = Process()
        process.executableURL = try BuiltProducts.url("assay")
        process.arguments = line.split(whereSeparator: \.isWhitespace).map(String.init)
        process.currentDirectoryURL = folder.url
        process.environment = ["HOME": folder.url.path, "LANG": "C.UTF-8"].merging(environment) { $1 }
            .merging(Sanitizer.environment) { $1 }
        // Files and not pipes: neither side can then wait for the other.
        let names = (input: "said-in", output: "said-out")
        try folder.write(names.input, input)
        try folder.write(names.output, "")
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path(names.output)))
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.path(names.input)))
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        let said = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path(names.output))))
        for name in [names.input, names.output] { try FileManager.default.removeItem(atPath: folder.path(name)) }
        return Run(status: process.terminationStatus, said: said)
    }

    /// The files of the folder, and of those in it, that have a secret in them.
    func files(with secrets: [SecretForms]) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
        return try names.filter { name in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.path(name), isDirectory: &isFolder), !isFolder.boolValue
            else { return false }
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
            return secrets.contains { !$0.found(in: bytes).isEmpty }
        }
    }
}
