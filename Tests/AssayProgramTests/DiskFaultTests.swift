import AssayTestSupport
import Foundation
import Testing

/// What commands leave behind when the disk is full.
@Suite(
    "Writing to a full disk", .timeLimit(.minutes(20)),
    .enabled(if: Sanitizer.isOff, Comment(rawValue: Sanitizer.filesHint)))
struct DiskFaultTests {
    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        let vectors = TestVectors.folder.appendingPathComponent("app-attest/minted")
        for name in ["policy.yaml", "test-root.pem", "attestation-accept.json"] {
            try scratch.write(name, Data(contentsOf: vectors.appendingPathComponent(name)))
        }
        return scratch
    }

    @Test(
        "A file size limit gives a clear error, and no partial file that looks complete",
        arguments: [
            ("mint corpus --output out", "out"),
            ("replay --policy policy.yaml --as-captured --report out.html attestation-accept.json", "out.html"),
        ])
    func fileSizeLimit(command: String, output: String) throws {
        let scratch = try scratch()
        // A kilobyte, enough for an error message.
        let run = try scratch.shell("ulimit -f 1; \"$ASSAY\" \(command) >/dev/null")
        #expect(run.status != 0 && run.status < 128, "\(run.status): \(run.errors)")
        #expect(run.errors.hasPrefix("error: ") && run.errors.contains("out"), "\(run.errors)")
        if output.contains(".") { #expect(!scratch.exists(output)) }
        #expect(try scratch.shell("find . -name '.assay-*' -o -name '*.tmp'").output.isEmpty)
    }

    @Test("A ledger on a full disk is an outage for every writing command, and stays intact")
    func ledger() throws {
        let scratch = try scratch()
        let ledger = "--ledger sqlite:ledger.sqlite"
        let begin = try scratch.shell("\"$ASSAY\" challenge issue --app vectors \(ledger)")
        #expect(begin.status == 0, "\(begin.errors)")
        var outages = 0
        for blocks in [8, 24, 40, 56, 64] {
            for command in [
                "verify --policy policy.yaml --as-captured --json attestation-accept.json",
                "challenge issue --app vectors",
                "ledger block --device d\(blocks) --reason test",
            ] {
                let run = try scratch.shell("ulimit -f \(blocks); \"$ASSAY\" \(command) \(ledger)")
                #expect([0, 1, 3].contains(run.status), "\(command) with \(blocks): \(run.status) \(run.errors)")
                if run.status == 3 {
                    outages += 1
                    #expect(run.errors.contains("ledger.sqlite"), "\(run.errors)")
                }
                let check = try scratch.shell("\"$ASSAY\" ledger check \(ledger)")
                #expect(check.status == 0, "after \(command) with \(blocks): \(check.output) \(check.errors)")
            }
        }
        #expect(outages > 3)
    }
}
