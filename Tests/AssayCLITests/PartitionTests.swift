import Foundation
import Testing

@Suite("assay partition")
struct PartitionTests {
    private func record(_ kind: String, _ evidence: String) -> String {
        #"{"kind":"\#(kind)","evidence":{\#(evidence)}}"#
    }

    /// Runs the command and takes its lines apart.
    private func partition(_ input: [UInt8]) throws -> (keys: [String], rest: [String], status: Int32) {
        let scratch = try Scratch()
        try scratch.write("input", input)
        let run = try scratch.shell("\"$ASSAY\" partition < input")
        // By bytes: to Swift a carriage return and a line feed are one character.
        let lines = run.output.utf8.split(separator: UInt8(ascii: "\n"))
            .map { $0.split(separator: UInt8(ascii: "\t"), maxSplits: 1).compactMap { String($0) } }
        return (lines.map { $0[0] }, lines.map { $0[1] }, run.status)
    }

    @Test("Records on which each other's verdicts depend have one key, and others their own")
    func keys() throws {
        let records = [
            record("app-attest.attestation", #""keyId":"AAAA""#), record("app-attest.assertion", #""keyId":"AAAA""#),
            record("app-attest.assertion", #""keyId":"AAAB""#), record("app-attest.receipt", #""keyId":"AAAB""#),
            record("play-integrity.classic", #""nonce":"AAAA""#),
            record("play-integrity.standard", #""requestHash":"h""#),
            record("play-integrity.standard", #""requestHash":"h""#), record("play-integrity.standard", ""),
            record("play-integrity.standard", ""), record("nonsense", #""keyId":"AAAA""#), "{broken", "{broken",
        ]
        let lines = records.enumerated().map { "\($0.offset + 100)\t\($0.element)" }
        let found = try partition(Array(lines.joined(separator: "\n").utf8))
        #expect(found.status == 0)
        #expect(found.rest == lines)
        #expect(found.keys.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        let groups = Dictionary(grouping: found.keys.indices) { found.keys[$0] }.values.sorted { $0[0] < $1[0] }
        #expect(groups == [[0, 1], [2, 3], [4], [5, 6], [7], [8], [9], [10], [11]])
    }

    @Test("Sealed records belong together as they do in clear, which only the key tells")
    func sealed() throws {
        let scratch = try Scratch()
        let records = [
            record("app-attest.attestation", #""keyId":"AAAA""#), record("app-attest.assertion", #""keyId":"AAAB""#),
            record("app-attest.assertion", #""keyId":"AAAA""#),
        ]
        try scratch.write("records", Array(records.joined(separator: "\n").utf8))
        let run = try scratch.shell(
            """
            set -e
            "$ASSAY" capture key --output keys >/dev/null
            "$ASSAY" capture seal --to file:keys/capture-public.key records | nl -ba -w1 >sealed
            nl -ba -w1 records >clear
            "$ASSAY" partition <clear | cut -f1
            "$ASSAY" partition --capture-key file:keys/capture-private.key <sealed | cut -f1
            "$ASSAY" partition --capture-key file:keys/capture-private.key <sealed | cut -f2- | cmp - sealed
            """)
        #expect(run.status == 0, "\(run.errors)")
        let keys = run.output.split(separator: "\n")
        #expect(keys.count == 6)
        #expect(keys.prefix(3).elementsEqual(keys.suffix(3)))
        #expect(keys.first == keys.dropFirst(2).first && keys.first != keys.dropFirst().first)
        let without = try scratch.shell("\"$ASSAY\" partition <sealed")
        #expect(without.status == 2)
        #expect(without.errors.contains("--capture-key"))
    }

    @Test("The key does not change from one run to the next")
    func stable() throws {
        let line = Array("7\t\(record("app-attest.assertion", #""keyId":"AAAA""#))\n".utf8)
        let key = try partition(line).keys
        #expect(try partition(line).keys == key)
    }

    @Test("Blank records are left out, and what is no text is carried in base64, which is read as well")
    func forms() throws {
        let text = record("app-attest.assertion", #""keyId":"AAAA""#)
        let encoded = Data(text.utf8).base64EncodedString()
        let input =
            "1\t\n2\t \r\n3\t=\(encoded)\n4\t\(text)\r\n5\t".utf8 + [0xFF, 0x7B]
            + "\n6\t==\n7\t=\(Data("=".utf8).base64EncodedString())".utf8
        let found = try partition(Array(input))
        // The sixth is no base64, and nothing is passed over in silence.
        #expect(found.status == 2)
        let sound = try partition(Array(input).replacing(Array("6\t==\n".utf8), with: []))
        #expect(sound.status == 0)
        #expect(sound.rest == ["3\t\(text)", "4\t\(text)\r", "5\t=/3s=", "7\t=PQ=="])
        #expect(sound.keys[0] == sound.keys[1])
    }

    @Test("Lines without a number are an error, and no input is none")
    func numbers() throws {
        for line in ["{}", "x\t{}", "1 {}", "-1\t{}", "99999999999999999999\t{}"] {
            #expect(try partition(Array(line.utf8)).status == 2, "\(line)")
        }
        #expect(try partition([]).status == 0)
        #expect(try partition([]).keys == [])
    }
}
