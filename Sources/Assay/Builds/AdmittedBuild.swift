import AssayCore
package import AssayPrimitives
package import FoundationEssentials

/// A build that an operator has admitted.
package struct AdmittedBuild: Sendable, Equatable {
    /// The most characters of ``name`` and ``reason``, in bytes of UTF-8.
    package static let textLimit = 200

    package let build: AppBuild
    /// What people call it, such as `1.4 beta`; nil for nothing.
    package let name: String?
    /// Why it is admitted.
    package let reason: String
    /// When it was admitted last.
    package let admittedAt: Date
    /// Who admitted it last, or who admitted it without an end; nil if unknown.
    package let admittedBy: String?
    /// The first time at which it is not admitted any more; nil for none.
    package let until: Date?

    /// Describes an admission. Rounds times to milliseconds, as the register stores them.
    package init(
        _ build: AppBuild, name: String? = nil, reason: String, admittedAt: Date, admittedBy: String?, until: Date?
    ) {
        func rounded(_ time: Date) -> Date {
            Date(timeIntervalSince1970: (Double(time.microseconds) / 1000).rounded() / 1000)
        }
        self.build = build
        self.name = name
        self.reason = reason
        self.admittedAt = rounded(admittedAt)
        self.admittedBy = admittedBy
        self.until = until.map(rounded)
    }

    /// Whether the build is admitted at a time.
    package func isInForce(at now: Date) -> Bool { until.map { now < $0 } ?? true }

    /// The admission that is in force after this one and a new one: that of the new one, with the later of both ends. One without an
    /// end keeps its author, who may remove it: others must not become the author by renewing it.
    func renewed(by new: AdmittedBuild) -> AdmittedBuild {
        let end = until.flatMap { former in new.until.map { max(former, $0) } }
        return AdmittedBuild(
            new.build, name: new.name ?? name, reason: new.reason, admittedAt: new.admittedAt,
            admittedBy: until == nil ? admittedBy : new.admittedBy, until: end)
    }

    /// Why a name or a reason cannot be stored; nil if it can.
    package static func objection(to text: String) -> String? {
        if text.utf8.count > textLimit { return "it has at most \(textLimit) bytes, found \(text.utf8.count)" }
        return KeyName.objection(to: text)
    }

    /// The members of the entry in the register, and in answers of the admin API.
    package var members: [(String, RecordValue.Content)] {
        var members: [(String, RecordValue.Content)] = [("build", .text(build.description))]
        if let name { members.append(("name", .text(name))) }
        members += [("reason", .text(reason)), ("admittedAt", .text(RFC3339.format(admittedAt)))]
        if let admittedBy { members.append(("admittedBy", .text(admittedBy))) }
        if let until { members.append(("until", .text(RFC3339.format(until)))) }
        return members
    }

    package var json: String {
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(members)), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads an entry of the register.
    init(reading value: RecordValue, path: String) throws(RecordError) {
        let fields = try RecordFields(value, path: path)
        try fields.requireOnly(["build", "name", "reason", "admittedAt", "admittedBy", "until"])
        func text(_ name: String) throws(RecordError) -> String {
            guard let text = try fields.text(name) else { throw fields.missing(name) }
            return text
        }
        func time(_ name: String) throws(RecordError) -> Date? {
            guard let text = try fields.text(name) else { return nil }
            guard let time = RFC3339.parse(text) else { throw fields.error(name, "expected a time of RFC 3339") }
            return time
        }
        let build: AppBuild
        do { build = try AppBuild(try text("build")) } catch {
            throw error as? RecordError ?? fields.error("build", "\(error)")
        }
        guard let admittedAt = try time("admittedAt") else { throw fields.missing("admittedAt") }
        self.init(
            build, name: try fields.text("name"), reason: try text("reason"), admittedAt: admittedAt,
            admittedBy: try fields.text("admittedBy"), until: try time("until"))
    }
}
