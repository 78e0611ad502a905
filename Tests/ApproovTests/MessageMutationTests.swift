import Approov
import Assay
import AssayCore
import Foundation
import Testing

/// Changes of whole fields of an accepted message. `MutationRunTests` tests all other changes.
@Suite("Mutated Approov messages", .timeLimit(.minutes(20)))
struct MessageMutationTests {
    private let expectations: ApproovExpectations
    private let keys: [NamedKey]

    init() throws {
        let configuration = try ApproovConfiguration(
            MessageFixture.settings(MessageSigning(signer: .installation)))
        expectations = ApproovExpectations(app: "shop", configuration: configuration, modes: [:])
        keys = try MessageFixture.keys()
    }

    private func accepts(_ input: ApproovMessageInput) -> Bool {
        let assessment = try? ApproovMessageAssessor.assess(
            input, keys: keys, messageKeys: keys, standings: { _ in [] }, expectations: expectations,
            now: MessageFixture.now)
        return assessment?.isAcceptable ?? false
    }

    @Test("no field can be removed, duplicated, or moved to another message")
    func fields() throws {
        let minted = try MessageFixture.post().mint()
        let other = try MessageFixture.post("other").mint()
        for index in minted.fields.indices {
            var without = minted.fields
            without.remove(at: index)
            let doubled = minted.fields + [minted.fields[index]]
            // Both messages have the same token.
            var moved = minted.fields
            moved[index] = other.fields[index]
            for fields in [without, doubled] + (moved == minted.fields ? [] : [moved]) {
                #expect(
                    !accepts(
                        .init(
                            method: minted.method, targetURI: minted.targetURI, fields: fields, body: minted.body)))
            }
        }
    }
}
