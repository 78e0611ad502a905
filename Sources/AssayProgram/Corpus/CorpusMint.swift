package import AssayCore
package import AssayTesting

/// Mints a corpus: its policies and keys, and its records in the order of reception.
///
/// Equal blueprints give equal bytes. All cores mint records, in batches: memory grows with the number of devices, not
/// with the number of records.
package struct CorpusMint: Sendable {
    /// The number of records of a batch, and of one task.
    private static let (batch, piece) = (2048, 64)

    private let materials: CorpusMaterials
    private let readme: String
    private var schedule: CorpusSchedule
    private var rest: Int

    /// Prepares a corpus.
    ///
    /// - Throws: ``MintingError`` for an invalid blueprint, with the allowed values.
    package init(_ blueprint: CorpusBlueprint) throws(MintingError) {
        try blueprint.validate()
        materials = try CorpusMaterials(blueprint, CorpusCalendar(blueprint))
        schedule = try .fitting(blueprint)
        rest = blueprint.records ?? .max
        readme = CorpusReadme(blueprint).text
    }

    /// The other files: `policy.yaml`, under which every record meets its expectation; `stricter.yaml`, a second policy
    /// for comparison; the test root and the keys that both policies use; and `README.md`.
    package var files: [MintedCorpusFile] {
        let policies = CorpusPolicies(materials: materials)
        return [
            MintedCorpusFile(path: "README.md", contents: readme),
            MintedCorpusFile(path: "policy.yaml", contents: policies.usual),
            MintedCorpusFile(path: "stricter.yaml", contents: policies.stricter),
            MintedCorpusFile(path: "test-root.pem", contents: materials.authority.rootPEM),
            MintedCorpusFile(path: "android-test-roots.pem", contents: materials.androidRootPEM),
            MintedCorpusFile(
                path: "keys/play-decryption.b64", contents: materials.playKeys.decryptionKeyFile, isSecret: true),
            MintedCorpusFile(path: "keys/play-verification.b64", contents: materials.playKeys.verificationKeyFile),
        ]
    }

    /// The part of the period that the records so far cover, in percent.
    package var progress: Int { schedule.progress / 10 }

    /// The next records, at most 2048; nil at the end.
    ///
    /// - Throws: ``MintingError`` when evidence cannot be minted, which is a bug in this library.
    package mutating func next() async throws(MintingError) -> [EvidenceRecord]? { try await next { $0 } }

    /// The next records as NDJSON, each line with its line feed; nil at the end.
    ///
    /// - Throws: As ``next()``.
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
