import AppAttest
import Assay
import AssayTesting
import Foundation
import Testing

/// What the test authority mints: for each check, evidence that fails it, and each line of hostile input.
struct MintedVectorTests {
    @Test("every vector of this repository gives the verdict that it expects, and each check fails alone in one")
    func repository() async throws {
        let outcome = try await MintedVectors.committed("app-attest").judge()
        #expect(outcome.count > 400)
        // A record cannot block a key; that is tested with a ledger.
        let expected = Set((AttestationCheck.catalogue + AssertionCheck.catalogue).map(\.id))
        #expect(expected.subtracting(outcome.isolated) == [AssertionCheck.keyState])
    }

    @Test("freshly minted evidence gives the same verdicts, under an authority with random keys")
    func minted() async throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let authority = try TestAuthority(notBefore: now.addingTimeInterval(-90 * 86400))
        let fresh = MintedVectors(files: try AppAttestVectors.files(authority: authority, at: now))
        #expect(try Set(fresh.files.map(\.path)) == Set(MintedVectors.committed("app-attest").files.map(\.path)))
        #expect(try await fresh.judge().count > 400)
    }

    @Test("records that have no verdict are unreadable, or name a kind that nobody judges")
    func unreadable() async throws {
        #expect(try await MintedVectors.committed("app-attest").expectNoVerdicts() > 15)
    }
}
