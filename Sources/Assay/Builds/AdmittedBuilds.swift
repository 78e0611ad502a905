package import AssayCore
package import AssayPrimitives
package import FoundationEssentials

/// The builds that operators have admitted, as the ledger keeps them. A look-up costs the same for any number of builds.
package struct AdmittedBuilds: LedgerRegisterContent {
    package static let documentName = "admitted-builds"
    /// The register in sentences.
    package static let title = "the register of admitted builds"
    /// The most builds.
    package static let maximumCount = 10_000
    /// How long the register keeps an ended admission, so that verdicts can state its end: 30 days.
    static let memory = 30 * 86_400.0

    /// By the bytes of the build's text.
    private var admissions: [[UInt8]: AdmittedBuild] = [:]
    /// The admissions of ``AppBuild/key``, which differ in their certificates.
    private var byKey: [[UInt8]: [AdmittedBuild]] = [:]

    package init() {}

    /// The number of builds, with the ended ones.
    package var count: Int { admissions.count }

    /// All builds in the order of their texts, with the ended ones.
    package var all: [AdmittedBuild] {
        admissions.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// The admission of a build; nil for none.
    package subscript(build: AppBuild) -> AdmittedBuild? { admissions[Array(build.description.utf8)] }

    /// The admissions of a build with any certificate.
    func admissions(_ platform: AppBuild.Platform, _ app: String, _ version: String) -> [AdmittedBuild] {
        byKey[AppBuild.key(platform, app, version)] ?? []
    }

    /// Admits a build, or renews its admission: of two ends the later one holds, and an admission without an end stays.
    ///
    /// - Returns: the admission in force.
    @discardableResult
    package mutating func admit(_ new: AdmittedBuild) -> AdmittedBuild {
        let former = self[new.build].flatMap { $0.isInForce(at: new.admittedAt) ? $0 : nil }
        let admission = former?.renewed(by: new) ?? new
        set(admission)
        return admission
    }

    /// Removes a build, and returns its admission; nil if there is none.
    @discardableResult
    package mutating func remove(_ build: AppBuild) -> AdmittedBuild? {
        guard let removed = admissions.removeValue(forKey: Array(build.description.utf8)) else { return nil }
        byKey[build.key]?.removeAll { $0.build == build }
        if byKey[build.key]?.isEmpty ?? false { byKey[build.key] = nil }
        return removed
    }

    /// The builds of an app that were admitted last before a time, in the order of their texts.
    package func builds(of app: String, admittedBefore time: Date) -> [AdmittedBuild] {
        all.filter { $0.build.app.isByteEqual(to: app) && $0.admittedAt < time }
    }

    /// Removes the admissions that ended long ago.
    package mutating func forgetEnded(at now: Date) {
        for admission in admissions.values where !admission.isInForce(at: now.addingTimeInterval(-Self.memory)) {
            remove(admission.build)
        }
    }

    private mutating func set(_ admission: AdmittedBuild) {
        remove(admission.build)
        admissions[Array(admission.build.description.utf8)] = admission
        byKey[admission.build.key, default: []].append(admission)
    }

    package static func == (left: Self, right: Self) -> Bool { left.admissions == right.admissions }

    package init(reading object: RecordObject) throws(RecordError) {
        let fields = RecordFields(object, path: "")
        try fields.requireOnly(["builds"])
        guard case .array(let elements)? = fields["builds"]?.content else {
            throw fields.error("builds", "expected a list")
        }
        for (index, element) in elements.enumerated() {
            set(try AdmittedBuild(reading: element, path: "builds[\(index)]"))
        }
    }

    package var object: RecordObject {
        let elements = all.map { RecordValue(.object(RecordObject($0.members)), offset: 0) }
        return RecordObject([("builds", .array(elements))])
    }
}
