import AssayTestSupport
import Foundation

/// The origin of the cases and their licence.
package struct SuiteOrigin: Sendable {
    /// The project, with the commit if known.
    package let source: String
    /// The licence.
    package let licence: String

    init(source: String, licence: String) {
        self.source = source
        self.licence = licence
    }

    /// Reads the head of a suite's file. Throws for a file without a head.
    ///
    /// - Parameter part: the index of one of several sources; nil for all.
    init(file: String, part: Int?) {
        let root = (try? SharedFiles.data(file)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        let head = root as? [String: Any] ?? [:]
        var sources = head["sources"] as? [[String: Any]] ?? [head]
        if let part, sources.indices.contains(part) { sources = [sources[part]] }
        func text(_ source: [String: Any], _ names: String...) -> String? {
            names.lazy.compactMap { source[$0] as? String }.first
        }
        let named = sources.map { source in
            let name = text(source, "source", "repo", "id", "name") ?? "?"
            return name + (text(source, "commit").map { " @ \($0.prefix(12))" } ?? "")
        }
        self.source = named.joined(separator: "; ")
        var licences: [String] = []
        for source in sources {
            let licence = text(source, "license", "licence") ?? "?"
            if !licences.contains(licence) { licences.append(licence) }
        }
        licence = licences.joined(separator: "; ")
    }
}
