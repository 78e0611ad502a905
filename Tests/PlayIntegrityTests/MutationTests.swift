import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Nothing at all may be changed in a token that is accepted: there is no byte that nobody looks at.
@Suite("Mutated classic tokens", .timeLimit(.minutes(5)))
struct MutationTests {
    private let keys = PlayIntegrityTestKeys(seed: "mutation", label: "classic")
    private let expectations: PlayIntegrityExpectations
    private let named: [NamedKey]

    init() throws {
        let material = try PlayIntegrityKeys.reading([
            "decryptionKey": SecretBytes(Array(keys.decryptionKeyFile.utf8)),
            "verificationKey": SecretBytes(Array(keys.verificationKeyFile.utf8)),
        ])
        named = [NamedKey(name: "mutation", scope: Fixtures.packageName, material: material)]
        // Only what is said of the token itself is enforced: no change may hide behind a demand that it fails.
        expectations = PlayIntegrityExpectations(
            app: "shop",
            configuration: try Fixtures.configuration(
                android: Fixtures.rules(minimumVersionCode: nil, rejectedRecallBits: [])),
            modes: Dictionary(
                uniqueKeysWithValues: PlayIntegrityCheck.catalogue.compactMap { definition in
                    if case .policy = definition.kind { (definition.id, CheckMode.off) } else { nil }
                }))
    }

    private func accepts(_ token: String) -> Bool {
        guard let input = try? Fixtures.classic(token: token) else { return false }
        return ClassicIntegrityAssessor.assess(input, keys: named, expectations: expectations, now: Fixtures.now).holds
    }

    private var blueprint: ClassicTokenBlueprint {
        ClassicTokenBlueprint(
            keys: keys, packageName: Fixtures.packageName, nonce: Fixtures.nonceBytes,
            certificateDigests: [Fixtures.digest], issuedAt: Fixtures.now)
    }

    @Test("Every bit of the text flipped, every character left out or doubled, every end")
    func outside() throws {
        let token = try blueprint.mint().token
        #expect(TokenMutation.accepted(token) { (text: String) in accepts(text) } == [])
    }

    @Test("The same of the signed part, encrypted anew under the app's own key: only the signature stands in the way")
    func inside() throws {
        let payload = try blueprint.mint().payload
        let signed = try JWSBlueprint(payload: payload, signer: .es256(keys.signingKey)).mint()
        let accepted = TokenMutation.accepted(signed) { (bytes: [UInt8]) in
            let token = try? JWEBlueprint(plaintext: bytes, keyManagement: .keyWrap(keys.decryptionKey)).mint()
            return token.map(accepts) ?? false
        }
        #expect(accepted == [])
    }
}
