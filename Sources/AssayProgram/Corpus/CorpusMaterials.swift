import AssayCore
import AssayPrimitives
import AssayTesting

/// The authorities, keys and app identifiers that mint the evidence of a corpus.
struct CorpusMaterials: Sendable {
    static let appleApp = "shop-ios"
    static let androidApp = "shop-android"
    static let pcApp = "shop-pc"
    static let keyApp = "shop-android-keys"
    static let appID = "1234567890.com.example.shop"
    static let packageName = "com.example.shop"
    static let pcPackageName = "com.example.shop.pc"

    let seed: String
    let authority: TestAuthority
    /// An authority with the same names and other keys, as an attacker can create it.
    let lookalike: TestAuthority
    let androidAuthority: AndroidKeyTestAuthority
    /// An authority with the same names and other keys.
    let androidLookalike: AndroidKeyTestAuthority
    /// The roots of ``androidAuthority``.
    let androidRootPEM: String
    let playKeys: PlayIntegrityTestKeys
    /// The keys of another app.
    let otherPlayKeys: PlayIntegrityTestKeys
    /// The checks that the corpus must be able to fail and that default policies only annotate. The policy enforces
    /// them.
    let enforced: Set<String>

    init(_ blueprint: CorpusBlueprint, _ calendar: CorpusCalendar) throws(MintingError) {
        seed = blueprint.seed
        let notBefore = CorpusCalendar.date(calendar.start - 400 * CorpusCalendar.day)
        authority = try TestAuthority(seed: "\(seed)/corpus", notBefore: notBefore)
        lookalike = try TestAuthority(seed: "\(seed)/corpus/lookalike", notBefore: notBefore)
        androidAuthority = try AndroidKeyTestAuthority(seed: "\(seed)/corpus", notBefore: notBefore)
        androidLookalike = try AndroidKeyTestAuthority(seed: "\(seed)/corpus/lookalike", notBefore: notBefore)
        androidRootPEM = try androidAuthority.rootPEM
        playKeys = PlayIntegrityTestKeys(seed: seed, label: "corpus")
        otherPlayKeys = PlayIntegrityTestKeys(seed: seed, label: "corpus/other")
        enforced = Set(CorpusPolicies.notedByDefault.filter { (blueprint.shares[$0]?.partsPerMillion ?? 0) > 0 })
    }

    /// Bytes derived from the seed, a label and a record's name. `count` is at most 32.
    func bytes(_ word: String, _ id: String, count: Int = 32) -> [UInt8] {
        Array(Digest.sha256(Array("\(seed)\u{0}\(word)\u{0}\(id)".utf8)).prefix(count))
    }

    /// The digest of the app's signing certificate.
    var certificateDigest: [UInt8] { bytes("certificate", "app") }

    func record(_ plan: CorpusPlan) throws(MintingError) -> EvidenceRecord {
        switch (plan.population, plan.details) {
        case (.attestation, .apple(let facts)): try attestation(plan, facts)
        case (.assertion, .apple(let facts)): try assertion(plan, facts)
        case (.receipt, .apple(let facts)): try receipt(plan, facts)
        case (.classic, .android(let facts)): try classic(plan, facts)
        case (.standard, .android(let facts)): try standard(plan, facts)
        case (.pc, .pc): try pc(plan)
        case (.keyAttestation, .androidKey(let facts)): try keyAttestation(plan, facts)
        case (.keyRequest, .androidKey(let facts)): try keyRequest(plan, facts)
        default: throw MintingError("\(plan.id) is of no device that makes such evidence")
        }
    }
}

extension CorpusPlan {
    /// The verdict that the record must get.
    var expectation: EvidenceRecord.Expectation {
        failed.map { .init(outcome: .reject, failed: [.init(check: $0, code: nil)]) }
            ?? .init(outcome: .accept, failed: [])
    }
}
