package import AssayCore
package import AssayTesting
import FoundationEssentials

/// Mints a corpus: the files that belong to it, and its records in the order of their reception.
///
/// The same blueprint gives the same bytes every time. Records are minted on all cores and handed over in batches, so that
/// the memory is that of the devices and of one batch, however many records there are.
package struct CorpusMint: Sendable {
    /// How many records are minted at a time, and how many of them by one task.
    private static let (batch, piece) = (2048, 64)

    private let materials: CorpusMaterials
    private let readme: String
    private var schedule: CorpusSchedule
    private var rest: Int

    /// Prepares a corpus.
    ///
    /// - Throws: ``MintingError`` when there can be no such corpus, with what is allowed.
    package init(_ blueprint: CorpusBlueprint) throws(MintingError) {
        try blueprint.validate()
        materials = try CorpusMaterials(blueprint, CorpusCalendar(blueprint))
        schedule = try .fitting(blueprint)
        rest = blueprint.records ?? .max
        readme = CorpusReadme(blueprint).text
    }

    /// The files that stand beside the records: `policy.yaml`, under which every record is as it expects; `stricter.yaml`,
    /// to compare it with; the test root and the keys that both name; and `README.md`.
    package var files: [CorpusFile] {
        let policies = CorpusPolicies(materials: materials)
        return [
            CorpusFile(path: "README.md", contents: readme),
            CorpusFile(path: "policy.yaml", contents: policies.usual),
            CorpusFile(path: "stricter.yaml", contents: policies.stricter),
            CorpusFile(path: "test-root.pem", contents: materials.authority.rootPEM),
            CorpusFile(
                path: "keys/play-decryption.b64", contents: materials.playKeys.decryptionKeyFile, isSecret: true),
            CorpusFile(path: "keys/play-verification.b64", contents: materials.playKeys.verificationKeyFile),
        ]
    }

    /// How many percent of the days the records so far take up.
    package var progress: Int { schedule.progress / 10 }

    /// The next records, some thousand or fewer, and nil after the last ones.
    ///
    /// - Throws: ``MintingError`` when evidence cannot be minted, which would be a fault of this library.
    package mutating func next() async throws(MintingError) -> [EvidenceRecord]? { try await next { $0 } }

    /// The next records as NDJSON: each on a line that ends with a line feed; nil after the last ones.
    ///
    /// - Throws: as ``next()`` does.
    package mutating func nextLines() async throws(MintingError) -> [UInt8]? {
        let lines = try await next { record in
            var line: [UInt8] = []
            RecordJSON.append(.object(record.document), to: &line)
            line.append(UInt8(ascii: "\n"))
            return line
        }
        return lines?.flatMap { $0 }
    }

    private mutating func next<Form: Sendable>(
        _ form: @Sendable @escaping (EvidenceRecord) -> Form
    ) async throws(MintingError) -> [Form]? {
        var plans: [CorpusPlan] = []
        while plans.count < min(Self.batch, rest), let plan = schedule.next() { plans.append(plan) }
        guard !plans.isEmpty else { return nil }
        rest -= plans.count
        let materials = materials
        let pieces = stride(from: 0, to: plans.count, by: Self.piece).map {
            Array(plans[$0..<min($0 + Self.piece, plans.count)])
        }
        let minted = await withTaskGroup(of: (Int, Result<[Form], MintingError>).self) { group in
            for (index, piece) in pieces.enumerated() {
                group.addTask { (index, Self.mint(piece, with: materials, form)) }
            }
            var minted = [Result<[Form], MintingError>](repeating: .success([]), count: pieces.count)
            for await (index, result) in group { minted[index] = result }
            return minted
        }
        var forms: [Form] = []
        forms.reserveCapacity(plans.count)
        for result in minted { forms += try result.get() }
        return forms
    }

    private static func mint<Form>(
        _ plans: [CorpusPlan], with materials: CorpusMaterials, _ form: (EvidenceRecord) -> Form
    ) -> Result<[Form], MintingError> {
        var forms: [Form] = []
        do {
            for plan in plans { forms.append(form(try materials.record(plan))) }
        } catch {
            return .failure(error)
        }
        return .success(forms)
    }
}
