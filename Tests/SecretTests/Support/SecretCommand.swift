import AssayTestSupport
import Foundation

extension SecretAccount {
    /// Runs `assay` in the folder with words that have no spaces, and nothing of the environment but what is given.
    func assay(_ line: String, input: String = "", environment: [String: String] = [:]) throws -> ProgramRun {
        try ProgramRun(
            BuiltProducts.url("assay").path, line.split(whereSeparator: \.isWhitespace).map(String.init),
            in: folder.url, input: input,
            environment: ["HOME": folder.url.path, "LANG": "C.UTF-8"].merging(environment) { $1 })
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
