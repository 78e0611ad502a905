import Assay
import AssayTestSupport
import Foundation
import Testing

/// Kills, full disks and limits leave whole lines, and lose no acknowledged record.
@Suite("Captures in trouble")
struct CrashTests {
    @Test("Processes that are killed leave whole lines, among them all that they acknowledged")
    func killed() throws {
        let folder = try TestFolder()
        let processes = try ["a", "b"].map { try CaptureProcess([folder.path("c"), $0, "0", "2000"]) }
        var acknowledged: Set<String> = []
        for process in processes {
            for _ in 0..<300 { acknowledged.insert(try process.readLine()) }
        }
        for process in processes {
            process.kill()
            acknowledged.formUnion(try process.remainingLines())
        }
        #expect(acknowledged.count >= 600)
        var names: Set<String> = []
        for file in try Captured.files(folder.path("c")) {
            let bytes = Array(try Data(contentsOf: folder.url.appendingPathComponent("c/\(file)")))
            let lines = bytes.split(separator: 0x0A)
            for (index, line) in lines.enumerated() {
                // A kill may cut the last write.
                if index == lines.count - 1, bytes.last != 0x0A { continue }
                let record = try #require(try RecordFile.read(Array(line)).first?.get())
                names.insert("ack \(record.id ?? "")")
            }
        }
        #expect(acknowledged.subtracting(names) == [])
    }

    @Test("A limit on the size of files is an error, and neither the end of the process nor a torn line")
    func fileSizeLimit() throws {
        let folder = try TestFolder()
        let process = try CaptureProcess([folder.path("c"), "a", "20", "1000", "limit=5000"])
        let lines = try process.finish()
        #expect(lines.count == 20)
        #expect(lines.prefix(4) == ["ack a-0", "ack a-1", "ack a-2", "ack a-3"])
        #expect(Set(lines.dropFirst(4)) == ["error file"])
        #expect(try Captured.records(folder.path("c")).compactMap(\.id) == ["a-0", "a-1", "a-2", "a-3"])
    }

    @Test(
        "A full disk is an error, what was written in part is taken back, and with room records are captured again",
        .enabled(if: CaptureProcess.canMount, "needs the right to mount"))
    func fullDisk() throws {
        let folder = try TestFolder()
        for name in ["disk", "out"] { try folder.write("\(name)/.keep", "") }
        // 64 KiB of disk, of which 32 KiB are taken until the first error. The records do not fill pages evenly.
        let disk = folder.path("disk")
        let setup =
            "mount -t tmpfs -o size=64k tmpfs \(disk); head -c 32768 /dev/zero >\(disk)/ballast; "
            + "trap 'cp \(disk)/c/*.ndjson \(folder.path("out"))' EXIT"
        let process = try CaptureProcess(["\(disk)/c", "a", "12", "5000", "ballast=\(disk)/ballast"], setup: setup)
        let lines = try process.finish()
        let errors = lines.indices.filter { lines[$0] == "error file" }
        let first = try #require(errors.first)
        #expect((1...8).contains(first))
        // The refused record is written once there is space.
        #expect(lines[first + 1] == "ack a-\(first)")
        let acknowledged = lines.filter { $0.hasPrefix("ack") }.map { String($0.dropFirst(4)) }
        let file = try #require(try Captured.files(folder.path("out")).first { $0.hasSuffix(".ndjson") })
        let bytes = try Data(contentsOf: folder.url.appendingPathComponent("out/\(file)"))
        #expect(try RecordFile.read(Array(bytes)).map { try $0.get().id } == acknowledged)
    }
}

/// CaptureStress, running.
private final class CaptureProcess: LineProcess {
    /// Starts CaptureStress; with `setup`, shell commands that run before it as root of a mount namespace of their own.
    init(_ arguments: [String], setup: String? = nil) throws {
        // The shell outlives it and cleans up.
        try super.init(
            BuiltProducts.url("CaptureStress"), arguments,
            script: setup.map { "\($0); setpriv --pdeathsig KILL \"$0\" \"$@\"" })
    }

    /// Waits for the end of the process, and returns its lines.
    func finish() throws -> [String] {
        let lines = try remainingLines()
        #expect(try end() == 0)
        return lines
    }
}
