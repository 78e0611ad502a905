import AssayCore
import AssayTestSupport
import Testing

/// A reader returns or throws an error whose offset lies in its input, whatever the bytes are.
@Suite("Robustness of the readers of HTTP fields") struct RobustnessTests {
    private static let structuredFields = [
        Array(#"a=("x";sf "y" 1);n=-1.5;t=*o/k,b;d=@-12 , c=:AAECAw==:;s=%"%e2%82%ac", d=?0"#.utf8),
        Array(#"("a\\b" 2);c, d;e="f", :AAE=:, %"%c3%bc""#.utf8),
    ]

    static let subjects: [ReaderSubject] = [
        ReaderSubject(
            description: "structured dictionary", samples: structuredFields,
            read: { _ = try StructuredFieldReader.readDictionary($0) }),
        ReaderSubject(
            description: "structured list", samples: structuredFields,
            read: { _ = try StructuredFieldReader.readList($0, duplicates: .lastWins) }),
        ReaderSubject(
            description: "structured item", samples: [Array(#""a\\b";c=-1.25;d=:AAE=:;e=%"f%c3%bc""#.utf8)],
            read: { _ = try StructuredFieldReader.readItem($0) }),
        ReaderSubject(
            description: "Signature-Input",
            samples: [Array(#"a=("@method" "x";key="k" "y";bs);created=1;expires=2;alg="b", c=("@path")"#.utf8)],
            read: { try readSignatureInput($0) }),
        ReaderSubject(
            description: "Signature", samples: [Array(#"a=:AAECAwQ=:, b="AAECAwQ=""#.utf8)],
            read: { _ = try SignatureField($0, form: .byteSequenceOrString) }),
        ReaderSubject(
            description: "Content-Digest",
            samples: [Array("md5=:AAAA:, sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:".utf8)],
            read: { _ = try ContentDigest($0) }),
    ]

    /// Reads, and builds the base of whatever was read: what a base cannot have is found then, and is no error here.
    private static func readSignatureInput(_ bytes: ArraySlice<UInt8>) throws {
        for input in try SignatureInputField(bytes).inputs {
            let base = Result { try SignatureBase.build(for: input, of: SignatureBaseTests.request) }
            if case .failure(let error) = base, (error as? SignatureBaseError)?.component.isEmpty ?? true {
                Issue.record("\(error) names no component")
            }
        }
    }

    @Test("Every prefix of a sample", arguments: subjects)
    func prefixes(_ subject: ReaderSubject) {
        for failure in subject.prefixFailures() { Issue.record("\(failure)") }
    }

    @Test("Random changes of a sample, always the same ones", arguments: subjects)
    func mutations(_ subject: ReaderSubject) {
        for failure in subject.mutationFailures(rounds: 60_000) { Issue.record("\(failure)") }
    }
}
