import AssayTesting
import FoundationEssentials

/// Genuine assertions that a strict policy rejects.
extension AppAttestVectorMint {
    var strictAssertionExtensions: [VectorCase] { categories + bundleVersions }

    /// An assertion with the extensions that the strict policy demands, after a change.
    private func extended(
        _ id: String, _ outcome: VectorOutcome, _ change: @escaping (inout AppAttestExtensions) -> Void = { _ in },
        _ changeOther: @escaping (inout AssertionBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        assertion(id, outcome, namesChallenge: true) {
            var extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
            change(&extensions)
            $0.authenticatorData.extensions = extensions.encoded
            changeOther(&$0)
        }
    }

    var strictAssertionClientData: [VectorCase] {
        let challenge = Data(challenge("client-data-challenge-elsewhere")).base64EncodedString()
        func refused(_ id: String, _ text: String) -> VectorCase {
            extended("client-data-\(id)", .reject("client-data"), { _ in }) { $0.clientData = .bytes(Array(text.utf8)) }
        }
        return [
            extended("client-data-genuine", .accept),
            refused("of-another-challenge", #"{"challenge":"YW5vdGhlcg=="}"#),
            refused("without-challenge", #"{"amount":42}"#),
            refused("challenge-elsewhere", #"{"request":{"challenge":"\#(challenge)"}}"#),
            refused("challenge-empty", #"{"challenge":""}"#),
            refused("challenge-null", #"{"challenge":null}"#),
            refused("challenge-as-array", #"{"challenge":["\#(challenge)"]}"#),
            refused("empty", ""),
            refused("is-no-json", "challenge"),
        ]
    }

    private var categories: [VectorCase] {
        func category(_ id: String, _ value: CBORItem) -> VectorCase {
            extended("assertion-category-\(id)", .reject("validation-category"), { $0.validationCategory = value })
        }
        return [
            extended("assertion-category-2", .accept, { $0.validationCategory = AppAttestExtensions.littleEndian(2) }),
            extended("assertion-category-integer-4", .accept, { $0.validationCategory = .unsigned(4) }),
        ]
            + [0, 1, 3, 5, 7, 8, 9, 11].map { category(String($0), AppAttestExtensions.littleEndian($0)) }
            + [
                category("big-endian", .bytes([0, 0, 0, 4])), category("of-3-bytes", .bytes([4, 0, 0])),
                category("of-5-bytes", .bytes([4, 0, 0, 0, 0])), category("text", .text("4")),
            ]
    }

    private var bundleVersions: [VectorCase] {
        [
            extended("assertion-bundle-version-1.10", .accept, { $0.bundleVersion = .text("1.10") }),
            extended("assertion-bundle-version-1.1", .reject("bundle-version"), { $0.bundleVersion = .text("1.1") }),
            extended(
                "assertion-bundle-version-as-bytes", .reject("bundle-version"),
                { $0.bundleVersion = .bytes(Array("1.2".utf8)) }),
        ]
    }
}
