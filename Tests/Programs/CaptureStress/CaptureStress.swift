import Assay
import AssayCore
import AssayPrimitives
import Foundation

/// Captures records in a separate process: `CaptureStress FOLDER NAME COUNT BYTES [limit=BYTES] [ballast=PATH]`.
///
/// Writes COUNT records (0: until killed) named NAME-0, NAME-1 and so on, each with BYTES of evidence. Prints `ack
/// NAME-0` for each written record, or the error, such as `error file`. `limit` sets the file size limit of this
/// process. With `ballast`, the first error removes that file and the record is tried again.
@main
enum CaptureStress {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count >= 5, let count = Int(words[3]), let bytes = Int(words[4]) else {
            throw CaptureError(.option, "FOLDER NAME COUNT BYTES")
        }
        var ballast: String?
        for word in words.dropFirst(5) {
            if word.hasPrefix("limit="), let bytes = UInt(word.dropFirst(6)) { limitFileSize(rlim_t(bytes)) }
            if word.hasPrefix("ballast=") { ballast = String(word.dropFirst(8)) }
        }
        var options = CaptureOptions()
        options.maximumBytes = 256 * 1024
        let capture = try RecordCapture(folder: words[1], options: options)
        let evidence = RecordObject([("payload", .text(String(repeating: "x", count: bytes)))])
        var number = 0
        while count == 0 || number < count {
            let name = "\(words[2])-\(number)"
            let record = EvidenceRecord(
                id: name, kind: EvidenceKind("test"), app: nil, receivedAt: nil, evidence: evidence, expect: nil)
            do {
                try capture.append(record, at: Date())
                say("ack \(name)")
            } catch {
                say("error \(error.code)")
                if let path = ballast {
                    ballast = nil
                    try FileManager.default.removeItem(atPath: path)
                    continue
                }
            }
            number += 1
        }
        try capture.close()
    }

    /// A pipe takes a line in one write, because lines are shorter than PIPE_BUF.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func limitFileSize(_ bytes: rlim_t) {
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        #if canImport(Glibc)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            _ = setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }
}
