import AssayCore
import AssayTesting

/// Classic tokens about an app that Google Play does not deliver.
extension IntegrityVectorMint {
    var classicApp: [VectorCase] {
        let everything = VectorOutcome.reject("app-recognition", "app-package", "certificate", "version-code")
        func verdict(_ id: String, _ value: JSONItem?) -> VectorCase {
            classic("app-\(id)", "app-recognition", .appRecognitionVerdict, value)
        }
        func package(_ id: String, _ value: JSONItem?) -> VectorCase {
            classic("app-package-\(id)", "app-package", .packageName, value)
        }
        let own = self.digests.map { Base64URL.text($0) }
        let other = Base64URL.text(digest("attacker"))
        let hexadecimal = digest("attacker").hexadecimal
        func digests(_ id: String, _ texts: [String]) -> VectorCase {
            classic("certificate-\(id)", "certificate", .certificateSha256Digest, .array(texts.map { .text($0) }))
        }
        func version(_ id: String, _ value: JSONItem?) -> VectorCase {
            classic("version-code-\(id)", "version-code", .versionCode, value)
        }
        return [
            verdict("unrecognized", "UNRECOGNIZED_VERSION"), verdict("unevaluated", "UNEVALUATED"),
            verdict("missing", nil), verdict("empty", ""), verdict("unknown", "PLAY_RECOGNIZED_SOON"),
            verdict("in-lower-case", "play_recognized"), verdict("with-space", "PLAY_RECOGNIZED "),
            classic("app-integrity-empty", everything, .appIntegrity, [:]),
            classic("app-integrity-missing", everything, .appIntegrity, nil),
            // If Google could not evaluate the app, it writes only the verdict.
            classic("app-integrity-unevaluated", everything, .appIntegrity, ["appRecognitionVerdict": "UNEVALUATED"]),
            package("another", .text(Self.otherPackageName)), package("missing", nil),
            package("empty", ""), package("in-upper-case", "Com.Example.Vectors"),
            digests("another", [other]), digests("list-empty", []),
            digests("ours-then-another", [own[0], other]), digests("another-then-ours", [other, own[0]]),
            digests("empty", [""]), digests("ours-then-empty", [own[0], ""]),
            digests("another-in-hexadecimal", [hexadecimal]),
            digests("truncated", [Base64URL.text(self.digests[0].dropLast())]),
            digests("longer", [Base64URL.text(self.digests[0] + [0])]),
            digests("in-other-case", [own[0].lowercased()]), digests("with-space", [own[0] + " "]),
            digests("not-base64", ["*"]),
            classic("certificate-missing", "certificate", .certificateSha256Digest, nil),
            version("one-too-low", "41"), version("one-too-low-as-number", 41), version("zero", "0"),
            version("missing", nil),
        ]
    }
}
