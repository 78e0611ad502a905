import Assay
import Foundation

/// Does what a service does for each request, a fixed number of times and always with the same input, so that
/// Scripts/count-instructions can count what that takes.
///
///     HotPaths --list
///     HotPaths [NAME...]
///
/// Each path is done in two rounds: the first fills what is kept from one request to the next, the second is counted.
/// Its beginning and its end are calls of `getppid`.
@main
enum HotPaths {
    static var all: [HotPath] {
        let engines = EngineRegistry.standard.measured
        return engines.flatMap { $0.hotPaths } + CodingPaths.all + engines.flatMap { $0.verifierPaths }
            + VerifierPaths.common + AnswerPaths.all
    }

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--list"] {
            for path in all { print(path.name, path.count) }
            return
        }
        if let unknown = arguments.first(where: { name in !all.contains { $0.name == name } }) {
            fail("no path \(unknown); see --list", status: 64)
        }
        do {
            try CallingThread().run {
                for path in all where arguments.isEmpty || arguments.contains(path.name) { try await run(path) }
            }
        } catch {
            fail("\(error)", status: 1)
        }
    }

    private static func run(_ path: HotPath) async throws {
        let work = try path.prepare(2 * path.count)
        do {
            try await work(path.count)
            markHotPath()
            try await work(path.count)
            markHotPath()
        } catch {
            throw Unexpected(description: "\(path.name): \(error)")
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("HotPaths: \(message)\n".utf8))
        exit(status)
    }
}

/// Stands in the program for callgrind to write down at each call what was counted since the last one: a function of the
/// system that nothing else here calls.
func markHotPath() {
    _ = getppid()
}
