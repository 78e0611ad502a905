import Approov
import Assay
import AssayTestSupport
import Foundation
import Testing

/// Nothing may be changed in the signed parts of a message that is accepted.
@Suite("Mutated Approov messages", .timeLimit(.minutes(5)))
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
        return assessment?.holds ?? false
    }

    /// What of the mutations of a field is accepted.
    private func accepted(field name: String) throws -> [String] {
        let minted = try MessageFixture.post().mint()
        let index = try #require(minted.fields.firstIndex { $0.name == name })
        return TokenMutation.accepted(minted.fields[index].value) { (value: String) in
            var fields = minted.fields
            fields[index] = .init(name, value)
            return accepts(
                ApproovMessageInput(
                    method: minted.method, targetURI: minted.targetURI, fields: fields, body: minted.body))
        }
    }

    @Test(
        "every bit, byte and end of the token, the digest and the signature",
        arguments: [
            "Approov-Token", "Content-Digest", "Signature",
        ])
    func field(_ name: String) throws {
        #expect(try accepted(field: name) == [])
    }

    @Test("of Signature-Input nothing but the number of spaces between components is free")
    func input() throws {
        let minted = try MessageFixture.post().mint()
        let value = try #require(minted.fields.first { $0.name == "Signature-Input" }?.value)
        let spaces = value.utf8.enumerated().filter { $0.element == 0x20 }.map { "byte \($0.offset) doubled" }
        #expect(spaces.count == 3)
        #expect(try accepted(field: "Signature-Input") == spaces)
    }

    @Test("every bit, byte and end of method, URI and body")
    func message() throws {
        let minted = try MessageFixture.post().mint()
        #expect(
            TokenMutation.accepted(minted.method) { (method: String) in
                accepts(.init(method: method, targetURI: minted.targetURI, fields: minted.fields, body: minted.body))
            } == [])
        #expect(
            TokenMutation.accepted(minted.targetURI) { (uri: String) in
                accepts(.init(method: minted.method, targetURI: uri, fields: minted.fields, body: minted.body))
            } == [])
        guard case .bytes(let body) = minted.body else { return }
        #expect(
            TokenMutation.accepted(String(decoding: body, as: UTF8.self)) { (bytes: [UInt8]) in
                accepts(
                    .init(
                        method: minted.method, targetURI: minted.targetURI, fields: minted.fields,
                        body: .bytes(bytes)))
            } == [])
    }

    @Test("no field can be left out, doubled, or moved into another message")
    func fields() throws {
        let minted = try MessageFixture.post().mint()
        let other = try MessageFixture.post("other").mint()
        for index in minted.fields.indices {
            var without = minted.fields
            without.remove(at: index)
            let doubled = minted.fields + [minted.fields[index]]
            // The token of both is the same.
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
