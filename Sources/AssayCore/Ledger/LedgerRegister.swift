import AssayPrimitives
package import FoundationEssentials

/// What operators keep in the ledger as one JSON document, such as the admitted builds of the apps.
package protocol LedgerRegisterContent: Sendable, Equatable {
    /// The name of the document, see ``LedgerRules/requireStorable(_:named:)``.
    static var documentName: String { get }
    /// The register in sentences, such as `the register of builds`.
    static var title: String { get }
    /// The register before the first change.
    init()
    init(reading object: RecordObject) throws(RecordError)
    /// The register as a JSON object, which ``init(reading:)`` reads. Its JSON has at most ``LedgerDocument/maximumSize`` bytes.
    var object: RecordObject { get }
}

extension LedgerRegisterContent {
    /// Reads a stored document. Throws ``OutageCode/corrupt`` for one that is not a register.
    package init(stored bytes: [UInt8]) throws(LedgerOutage) {
        do {
            self = try Self(reading: JSONReader.readObject(bytes, limit: LedgerDocument.maximumSize))
        } catch {
            let text = (error as? RecordError)?.description ?? "\(error)"
            throw LedgerOutage(
                .corrupt,
                "the document \(Self.documentName) of the ledger is not \(Self.title): \(text); a newer version of Assay may have "
                    + "written it: update this one")
        }
    }

    /// The bytes to store.
    package var stored: [UInt8] {
        var bytes: [UInt8] = []
        RecordJSON.append(.object(object), to: &bytes)
        return bytes
    }
}

/// A document of the ledger that operators change. A change and its entries of the audit trail are stored in one transaction, and
/// operators who change the register at once lose nothing: each change is decided about the result of the one before.
package struct LedgerRegister<Content: LedgerRegisterContent>: Sendable {
    /// How often a change is decided anew after another process was faster.
    package static var attempts: Int { 32 }

    private let ledger: any LedgerAdministration

    /// Opens the register of a ledger.
    package init(in ledger: any LedgerAdministration) { self.ledger = ledger }

    /// The register as it is now. Throws ``LedgerOutage``.
    package func content() async throws(LedgerOutage) -> Content {
        try await ledger.document(named: Content.documentName).map { (document) throws(LedgerOutage) in
            try Content(stored: document.bytes)
        } ?? Content()
    }

    /// Changes the register. The change is durable when the function returns.
    ///
    /// - Parameters:
    ///   - now: the time of the change.
    ///   - decide: changes the content, and returns a value and the entries of the audit trail. It runs again if another process was
    ///     faster. If it throws, or leaves the content as it is, then nothing is stored.
    /// - Returns: the value, or the error of `decide`.
    /// - Throws: ``LedgerOutage``. If only the answer was lost, the change may have been made.
    package func change<Value: Sendable, Refusal: Error>(
        at now: Date,
        _ decide: (inout Content) throws(Refusal) -> (value: Value, entries: [LedgerChange])
    ) async throws(LedgerOutage) -> Result<Value, Refusal> {
        for _ in 0..<Self.attempts {
            let document = try await ledger.document(named: Content.documentName)
            let former = try document.map { (document) throws(LedgerOutage) in try Content(stored: document.bytes) }
            var content = former ?? Content()
            let decided: (value: Value, entries: [LedgerChange])
            do throws(Refusal) { decided = try decide(&content) } catch { return .failure(error) }
            if content == former ?? Content() { return .success(decided.value) }
            let isStored = try await ledger.store(
                content.stored, named: Content.documentName, replacing: document?.revision ?? 0,
                recording: decided.entries, at: now)
            if isStored { return .success(decided.value) }
        }
        throw LedgerOutage(
            .locked,
            "other processes have changed \(Content.title) \(Self.attempts) times meanwhile, and nothing was changed; repeat"
        )
    }
}
