import AssayTesting

/// Classic tokens about an app that is not the one that Google Play delivers.
struct IntegrityAppVectors: VectorGroup {
    let mint: IntegrityVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [mint.file("classic-app.json", recognition + package + certificates + versions)]
    }

    private func reject(
        _ id: String, _ check: String, _ field: PlayIntegrityField, _ value: JSONItem?
    ) -> ClassicCase {
        ClassicCase(id, .reject(check), field, value)
    }

    private var recognition: [ClassicCase] {
        let everything = VectorOutcome.reject("app-recognition", "app-package", "certificate", "version-code")
        func verdict(_ id: String, _ value: JSONItem?) -> ClassicCase {
            reject("app-\(id)", "app-recognition", .appRecognitionVerdict, value)
        }
        return [
            verdict("unrecognized", "UNRECOGNIZED_VERSION"), verdict("unevaluated", "UNEVALUATED"),
            verdict("missing", nil), verdict("empty", ""), verdict("unknown", "PLAY_RECOGNIZED_SOON"),
            verdict("in-lower-case", "play_recognized"), verdict("with-space", "PLAY_RECOGNIZED "),
            ClassicCase("app-integrity-empty", everything, .appIntegrity, [:]),
            ClassicCase("app-integrity-missing", everything, .appIntegrity, nil),
            // What Google writes where it could not tell: the verdict alone.
            ClassicCase(
                "app-integrity-unevaluated", everything, .appIntegrity, ["appRecognitionVerdict": "UNEVALUATED"]),
        ]
    }

    private var package: [ClassicCase] {
        func package(_ id: String, _ value: JSONItem?) -> ClassicCase {
            reject("app-package-\(id)", "app-package", .packageName, value)
        }
        return [
            package("another", .text(IntegrityVectorMint.otherPackageName)), package("missing", nil),
            package("empty", ""), package("in-upper-case", "Com.Example.Vectors"),
        ]
    }

    private var certificates: [ClassicCase] {
        let own = mint.digests.map { Base64URL.text($0) }
        let other = Base64URL.text(mint.digest("attacker"))
        let hexadecimal = mint.digest("attacker").map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        func digests(_ id: String, _ texts: [String]) -> ClassicCase {
            reject(
                "certificate-\(id)", "certificate", .certificateSha256Digest, .array(texts.map { .text($0) }))
        }
        return [
            digests("another", [other]), digests("list-empty", []),
            digests("ours-then-another", [own[0], other]), digests("another-then-ours", [other, own[0]]),
            digests("empty", [""]), digests("ours-then-empty", [own[0], ""]),
            digests("another-in-hexadecimal", [hexadecimal]),
            digests("truncated", [Base64URL.text(mint.digests[0].dropLast())]),
            digests("longer", [Base64URL.text(mint.digests[0] + [0])]),
            digests("in-other-case", [own[0].lowercased()]), digests("with-space", [own[0] + " "]),
            digests("not-base64", ["*"]),
            reject("certificate-missing", "certificate", .certificateSha256Digest, nil),
        ]
    }

    private var versions: [ClassicCase] {
        func version(_ id: String, _ value: JSONItem?) -> ClassicCase {
            reject("version-code-\(id)", "version-code", .versionCode, value)
        }
        return [
            version("one-too-low", "41"), version("one-too-low-as-number", 41), version("zero", "0"),
            version("missing", nil),
        ]
    }
}
