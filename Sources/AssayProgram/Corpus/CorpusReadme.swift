import AssayCore
import FoundationEssentials

/// The text of `README.md` in the folder of a corpus.
struct CorpusReadme: Sendable {
    let blueprint: CorpusBlueprint

    init(_ blueprint: CorpusBlueprint) { self.blueprint = blueprint }

    var text: String {
        let shares = blueprint.shares.filter { $0.value.partsPerMillion > 0 }.sorted { $0.key < $1.key }
            .map { "| `\($0.key)` | \($0.value) |\n" }
        let end = Date(timeIntervalSince1970: blueprint.end.timeIntervalSince1970.rounded(.down))
        let length =
            blueprint.records.map { "\($0) records" } ?? "about \(blueprint.requestsPerDeviceDay) requests a day each"
        return """
            # A minted corpus

            Evidence of \(blueprint.devices) simulated devices, \(blueprint.appleShare) of them of Apple's platforms,
            received in the \(blueprint.days) days before \(RFC3339.format(end)): \(length).
            Everything was made with test keys, which are known to everybody who knows the seed.

            | file | what it is |
            |---|---|
            | `corpus.ndjson` | the records, one per line, in the order of their reception; each says what it expects |
            | `policy.yaml` | the policy under which the expectations hold |
            | `stricter.yaml` | one that demands more, to see who would be shut out |
            | `test-root.pem`, `android-test-roots.pem` | the roots of the test authorities, which both policies trust |
            | `keys/` | the keys of Play Integrity's classic tokens |

                assay replay corpus.ndjson --policy policy.yaml
                assay replay corpus.ndjson --policy policy.yaml --against stricter.yaml --report report.html

            ## What is to be refused

            Of the records of a kind, so many fail this check first, give or take one. The rest is to be accepted.

            | check | share |
            |---|---|
            \(shares.joined())
            """ + "\n"
    }
}
