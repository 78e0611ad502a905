import AssayTestSupport
import Foundation

/// Where cases are from, and under which licence.
package struct SuiteOrigin: Sendable {
    /// The project and, where there is one, the commit.
    package let source: String
    /// The licence.
    package let licence: String

    init(source: String, licence: String) {
        self.source = source
        self.licence = licence
    }

    /// What stands at the head of a suite's file. A file without a head has none to tell, and its suite fails to run.
    ///
    /// - Parameter part: which of several sources, and nil for all of them.
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
