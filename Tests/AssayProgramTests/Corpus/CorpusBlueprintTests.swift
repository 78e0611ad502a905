import AssayProgram
import AssayTesting
import Foundation
import Testing

@Suite("The blueprint of a corpus")
struct CorpusBlueprintTests {
    static func blueprint(_ change: (inout CorpusBlueprint) -> Void) -> CorpusBlueprint {
        var blueprint = CorpusBlueprint(seed: "tests", end: Date(timeIntervalSince1970: 1_790_000_000))
        change(&blueprint)
        return blueprint
    }

    @Test(
        "Shares are percentages with up to four digits after the point",
        arguments: [
            ("0%", 0), ("100%", 1_000_000), ("0.5%", 5000), ("12.3456%", 123_456), ("003%", 30_000),
            ("100.0000%", 1_000_000),
        ])
    func share(_ text: String, _ partsPerMillion: Int) throws {
        let share = try CorpusShare(text)
        #expect(share.partsPerMillion == partsPerMillion)
        #expect(try CorpusShare(share.description) == share)
    }

    @Test(
        "Anything else is no share",
        arguments: [
            "", "%", "5", "0.5", "-1%", "+1%", "101%", "100.0001%", "1.%", ".5%", "1.23456%", "1e1%", "1 %", "٣%",
        ])
    func noShare(_ text: String) {
        #expect(throws: MintingError.self) { try CorpusShare(text) }
    }

    @Test("A check that evidence cannot be made to fail is refused, with those that it can")
    func unsupported() throws {
        for name in ["app-attest.assertion.key-state", "app-attest.assertion.challenge", "nonsense", ""] {
            let blueprint = Self.blueprint { $0.shares[name] = CorpusShare(partsPerMillion: 1) }
            let error = try #require(throws: MintingError.self) { try CorpusMint(blueprint) }
            #expect(error.description.contains("app-attest.assertion.counter"))
        }
    }

    @Test("What cannot be is refused")
    func impossible() {
        let changes: [(inout CorpusBlueprint) -> Void] = [
            { $0.seed = "" }, { $0.devices = 0 }, { $0.devices = 1_000_001 }, { $0.days = 0 }, { $0.days = 367 },
            { $0.requestsPerDeviceDay = 0 }, { $0.requestsPerDeviceDay = .nan }, { $0.requestsPerDeviceDay = 1001 },
            { $0.records = 0 }, { $0.end = Date(timeIntervalSince1970: -1) },
            { $0.end = Date(timeIntervalSince1970: .infinity) }, { $0.end = Date(timeIntervalSince1970: .nan) },
            // Everything is refused, and a counter also a second time.
            {
                $0.shares["app-attest.assertion.signature"] = CorpusShare(partsPerMillion: 999_000)
                $0.shares["app-attest.assertion.key"] = CorpusShare(partsPerMillion: 2000)
            },
            { $0.shares = ["app-attest.assertion.counter": CorpusShare(partsPerMillion: 750_001)] },
        ]
        for change in changes {
            #expect(throws: MintingError.self) { try CorpusMint(Self.blueprint(change)) }
        }
    }
}
