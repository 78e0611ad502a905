import Assay
import AssayCore
import AssayPrimitives
import Foundation

extension FuzzTarget {
    /// Records with sealed evidence: lines of files, and lines that are sealed here and then changed.
    static let sealedRecord = FuzzTarget(
        name: "sealed-record", maximumLength: 512,
        dictionary: [
            "\"sealed\":\"AAAA\"", "\"evidence\":{}", "\"kind\":", "\"id\":", "\"expect\":", "\"receivedAt\":",
        ],
        seeds: { [Array(SealedLines.line.utf8), EditProgram.encoded()] },
        run: { input in
            guard input.first == 0 || input.first == UInt8(ascii: "{") else { return false }
            let line =
                input.first == 0
                ? EditProgram(input).edits.reduce(Array(SealedLines.line.utf8)) { $1.bytes($0) } : input
            let isOpen = SealedLines.open(line)
            // Sealing needs a public key that the fuzzer does not have: only the one sealed line may open.
            if isOpen, !SealedLines.isSame(line) { broken("a line that was changed opens") }
            return isOpen
        })
}

private enum SealedLines {
    private static let key: CapturePrivateKey = {
        do { return try CapturePrivateKey.make() } catch { FuzzTarget.broken("no key: \(error)") }
    }()

    private static let record = EvidenceRecord(
        id: "a", kind: EvidenceKind("approov.token"), app: "api", receivedAt: AppleMint.now,
        evidence: RecordObject([("token", .text("a.b.c"))]), expect: nil)

    static let line: String = {
        do { return try record.sealedLine(for: key.publicKey) } catch { FuzzTarget.broken("not sealed: \(error)") }
    }()

    private static func read(_ line: [UInt8]) -> SealedRecord? {
        guard let value = try? JSONReader.read(line, limit: 1 << 16) else { return nil }
        do throws(RecordError) {
            return try SealedRecord(value)
        } catch {
            guard (0...line.count).contains(error.offset) else {
                FuzzTarget.broken("the error stands outside: \(error)")
            }
            return nil
        }
    }

    /// Whether a line opens. Writing it and reading it gives the same line.
    static func open(_ line: [UInt8]) -> Bool {
        guard let sealed = read(line) else { return false }
        let written = sealed.jsonLine
        guard read(Array(written.utf8))?.jsonLine.isByteEqual(to: written) == true else {
            FuzzTarget.broken("what is written is read as something else: \(written)")
        }
        return (try? sealed.open(with: key)) != nil
    }

    /// Whether a line has the sealed content. White space, escapes and the order of fields may differ.
    static func isSame(_ line: [UInt8]) -> Bool {
        read(line)?.jsonLine.isByteEqual(to: self.line) == true
    }
}
