import Assay
import AssayCore
import FoundationEssentials

extension ServiceKey {
    /// The keys of captures, in the order of documentation.
    static let ofCapture: [ServiceKey] = [
        optional(
            "capture.folder", \.capture.folder, "PATH",
            "Where a share of judged evidence is captured for replays, with the verdicts on it.",
            standard: "no captures"),
        optional(
            "capture.key", \.capture.key, "PATH",
            "The public key for which captured records are sealed, as assay capture key makes it.",
            standard: "required with capture.folder"),
        ServiceKey(
            path: "capture.share", help: "The share of evidence that is captured; all evidence of a captured key is.",
            form: "a percentage above 0% and up to 100%", standard: "1%"
        ) { (service, node) throws(PolicyError) in
            guard let share = try NoEvidenceConfiguration.Share(node.text()) else {
                throw node.error("expected a percentage above 0% and up to 100%, such as 1%, found \(node.found)")
            }
            service.capture.share = share.fraction
        },
        list(
            "capture.kinds", \.capture.kinds, "a kind of evidence such as app-attest.assertion",
            "The kinds of evidence that are captured, in place of all; several with commas."
        ) { (node) throws(PolicyError) in
            let (name, names) = (try node.text(), Verifier.kinds.map(\.name))
            guard names.containsBytes(of: name) else { throw node.mismatch(with: names) }
            return EvidenceKind(name)
        },
        size(
            "capture.maximumSize", \.capture.maximumSize, (64 << 20)...(1 << 40),
            "The capture files of the folder together; the oldest are removed."),
        duration(
            "capture.keepFor", \.capture.keepFor, "How long captured records are kept.", upTo: 400 * 86_400),
    ]
}

extension ServiceConfiguration.Capture {
    /// The longest public key in a file, in bytes.
    private static let longestKey = 1024

    /// Starts the capture; nil for none.
    ///
    /// - Parameters:
    ///   - isTrial: whether only the configuration is checked: no folder is made, and the result is nil.
    ///   - isKept: whether the last records also stay in memory.
    ///   - onChange: see ``SampledCapture``.
    /// - Throws: `PolicyError` for the key, and for a folder that cannot be created or written to.
    func start(
        isTrial: Bool, keepingRecent isKept: Bool, onChange: @escaping @Sendable (CaptureError?) -> Void
    ) throws(PolicyError) -> (sampled: SampledCapture, recent: RecentCaptures)? {
        guard let folder, let key else { return nil }
        var options = CaptureOptions()
        do {
            let text = try TrustedFile.read(
                key, called: "the public key of captures \(key.excerpt)", limit: Self.longestKey)
            options.fields = .seal(to: try CapturePublicKey(text: text))
        } catch let error as CaptureError {
            throw PolicyError(field: "capture.key", error.message)
        } catch {
            throw PolicyError(field: "capture.key", "\(error)")
        }
        if isTrial, !FileManager.default.fileExists(atPath: folder) { return nil }
        let salt = options.salt
        // A quarter for the current file.
        options.maximumBytes = min(options.maximumBytes, maximumSize / 4)
        options.maximumTotalBytes = maximumSize - options.maximumBytes
        options.maximumAge = min(options.maximumAge, keepFor)
        options.keepFor = keepFor
        do throws(CaptureError) {
            let files = try RecordCapture(folder: folder, options: options)
            try files.requireWritable()
            if isTrial { return nil }
            let recent = RecentCaptures(files, isKept: isKept)
            let kinds = kinds.isEmpty ? nil : Set(kinds)
            return (try SampledCapture(recent, share: share, kinds: kinds, salt: salt, onChange: onChange), recent)
        } catch {
            throw PolicyError(field: "capture.folder", error.message)
        }
    }
}
