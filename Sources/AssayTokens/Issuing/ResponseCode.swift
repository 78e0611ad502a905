package import AssayCore

/// The attestation response code of Approov's format, `arc`: what the checks of the evidence found, as a short text that the app may log and
/// only the issuer can read.
package enum ResponseCode {
    /// The length in characters.
    package static let length = 8
    /// The alphabet of base32, RFC 4648 section 6.
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    /// The most findings that ``findings(in:_:under:)`` looks for. Of more, the log of the issuer says what they were.
    private static let mostFindings = 4

    /// A check that failed or was annotated.
    package struct Finding: Sendable, Equatable {
        /// The check.
        package let check: CheckID
        /// Whether it failed; otherwise it was annotated.
        package let isFailure: Bool

        fileprivate var line: String { (isFailure ? "- " : "~ ") + check.name }
    }

    /// The code of a verdict: 40 bits of a keyed digest of its findings, in base32. Equal findings have equal codes.
    static func text(_ failed: [CheckID], _ annotated: [CheckID], under secret: TokenSecret) -> String {
        text(
            failed.map { Finding(check: $0, isFailure: true) } + annotated.map { Finding(check: $0, isFailure: false) },
            secret)
    }

    private static func text(_ findings: [Finding], _ secret: TokenSecret) -> String {
        let lines = findings.map(\.line).sorted().joined(separator: "\n")
        let number = secret.digest(ofFindings: lines).prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return String((0..<length).map { alphabet[Int(number >> (35 - 5 * UInt64($0)) & 31)] })
    }

    /// Whether a text may be a code.
    package static func isCode(_ text: String) -> Bool {
        text.utf8.count == length && text.allSatisfy(alphabet.contains)
    }

    /// The findings behind a code. They are searched for, the fewest first: all combinations of at most four checks of a kind of evidence.
    ///
    /// - Parameters:
    ///   - groups: the checks that a verdict can have, by kind of evidence.
    ///   - secrets: those that the issuer has had.
    /// - Returns: an empty list for evidence without findings; nil for a code of another issuer or of more findings.
    package static func findings(
        in code: String, _ groups: [[CheckDefinition]], under secrets: [TokenSecret]
    ) -> [Finding]? {
        let choices = groups.map { $0.flatMap(possible) }
        for count in 0...mostFindings {
            for secret in secrets {
                for choices in choices {
                    var chosen: [Finding] = []
                    if search(count, choices[...], &chosen, { text($0, secret) == code }) { return chosen }
                }
            }
        }
        return nil
    }

    private static func possible(_ check: CheckDefinition) -> [Finding] {
        let failure = Finding(check: check.id, isFailure: true)
        let annotation = Finding(check: check.id, isFailure: false)
        return switch check.kind {
        case .gate: [failure]
        case .policy, .ledger: [failure, annotation]
        case .signal: [annotation]
        }
    }

    /// Tries all choices of `count` findings of different checks.
    private static func search(
        _ count: Int, _ choices: ArraySlice<Finding>, _ chosen: inout [Finding], _ isFound: ([Finding]) -> Bool
    ) -> Bool {
        guard count > 0 else { return isFound(chosen) }
        var rest = choices
        while let finding = rest.popFirst() {
            guard chosen.last?.check != finding.check else { continue }
            chosen.append(finding)
            if search(count - 1, rest, &chosen, isFound) { return true }
            chosen.removeLast()
        }
        return false
    }
}
