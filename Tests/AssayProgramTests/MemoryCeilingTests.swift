import AssayTestSupport
import Foundation
import Testing

/// A limit on address space. The program itself takes most of it, and more than it ever uses as memory.
private enum MemoryCeiling {
    static let kilobytes = 1_000_000

    static let canHold: Bool = {
        // A sanitizer's mappings exceed any limit, and one sanitizer may lift the limit.
        guard Sanitizer.isOff else { return false }
        let run = try? Scratch().shell(#"ulimit -v \#(kilobytes) && "$ASSAY" --version"#)
        return run?.status == 0
    }()
}

/// Memory limits for hostile input, and the behaviour when memory runs out.
@Suite(
    "Memory limits", .serialized, .timeLimit(.minutes(20)),
    .enabled(
        if: MemoryCeiling.canHold,
        "the program does not start under a limit on addresses, as with sanitizers"))
struct MemoryCeilingTests {
    /// Swift's program for backtraces waits for ever if the process that it is to look at is killed meanwhile.
    private static let environment = ["SWIFT_BACKTRACE": "enable=no"]

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        let vectors = TestVectors.folder.appendingPathComponent("app-attest/minted")
        for name in ["policy.yaml", "test-root.pem", "attestation-accept.json"] {
            try scratch.write(name, Data(contentsOf: vectors.appendingPathComponent(name)))
        }
        return scratch
    }

    @Test(
        "Input of any size and depth is refused or read within the limit, and none is accepted",
        arguments: [
            "truncate -s 1G input", "head -c 5000000 /dev/zero | tr '\\0' '[' >input",
            "(yes '{\"a\":' | head -1000000) >input",
            "(printf '{\"id\":\"'; head -c 30000000 /dev/zero | tr '\\0' x) >input",
            "(printf '['; yes '1,' | head -c 16000000; printf '1]') >input", "(yes '{}' | head -200000) >input",
            "head -c 40000000 /dev/zero | tr '\\0' A >input", "head -c 3000000 /dev/zero | tr '\\0' '\\201' >input",
            "head -c 500000000 /dev/zero | gzip -1 >input",
        ])
    func hostileInput(_ make: String) throws {
        let scratch = try scratch()
        for command in ["verify --policy policy.yaml --json", "replay --policy policy.yaml --json", "inspect"] {
            let run = try scratch.shell(
                "\(make); ulimit -v \(MemoryCeiling.kilobytes); timeout -s KILL 900 \"$ASSAY\" \(command) input >out; status=$?; "
                    + "head -c 200000 out; exit $status", environment: Self.environment)
            // Status 2 means unreadable evidence. Any bytes can be inspected.
            #expect(
                run.status == 2 || (run.status == 0 && command == "inspect"),
                "\(command): \(run.status) \(run.errors.prefix(300))")
            #expect(!run.output.contains(#""outcome":"accept""#), "\(command)")
            #expect(run.status == 0 || run.errors.contains("error: "), "\(run.errors.prefix(300))")
        }
    }

    @Test("When memory runs out, accepted keys are enrolled, nothing is accepted twice, and the ledger is intact")
    func tooLittle() throws {
        let scratch = try scratch()
        var (whole, cut) = (0, 0)
        let verify =
            "\"$ASSAY\" verify --policy policy.yaml --as-captured --json --create-ledger attestation-accept.json"
        // From too little memory to start the program up to more than enough.
        for kilobytes in stride(from: 60_000, through: 420_000, by: 30_000) {
            let ledger = "sqlite:\(kilobytes).sqlite"
            // If threads cannot start, the Swift runtime waits forever. With enough memory, allow more time.
            let seconds = kilobytes < 400_000 ? 4 : 120
            let run = try scratch.shell(
                "ulimit -v \(kilobytes); timeout -s KILL \(seconds) \(verify) --ledger \(ledger); exit $?",
                environment: Self.environment)
            let accepted = Set(
                try run.json().filter { $0["outcome"] as? String == "accept" }.compactMap { $0["id"] as? String })
            if run.status == 0 { whole += 1 } else { cut += 1 }
            #expect(run.status != 0 || accepted.count == 21, "\(kilobytes)")
            // Without memory the Swift runtime ends the process, with a message if memory suffices for one.
            #expect(
                run.status == 0 || run.status >= 127 || run.errors.contains("error: "),
                "\(kilobytes): \(run.status)")
            #expect(!run.output.contains(#""outcome":"reject""#), "genuine evidence is rejected at \(kilobytes)")

            let again = try scratch.shell("\(verify) --ledger \(ledger)")
            #expect([0, 1].contains(again.status), "\(again.errors)")
            for verdict in try again.json() where verdict["outcome"] as? String == "accept" {
                #expect(!accepted.contains(verdict["id"] as? String ?? ""), "accepted twice at \(kilobytes)")
            }
            let check = try scratch.assay("ledger", "check", "--ledger", ledger)
            #expect(check.status == 0, "\(kilobytes): \(check.output)")
        }
        #expect(whole > 0 && cut > 0, "\(whole) runs had enough, \(cut) had not")
    }
}
