import AssayFuzzTargets
import CLibFuzzer
import Foundation

/// `Fuzz TARGET [libFuzzer options and corpus folders]`, `Fuzz --list`, `Fuzz --seeds TARGET FOLDER`.
@main
struct Fuzz {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--list"] { return FuzzTarget.all.forEach { print($0.name) } }
        if arguments.count == 3, arguments[0] == "--seeds" {
            return try SeedFolder(path: arguments[2]).write(target(arguments[1]))
        }
        guard let name = arguments.first else { stop("which target? --list names them") }
        exit(Driver.run(target(name), options: Array(arguments.dropFirst())))
    }

    private static func target(_ name: String) -> FuzzTarget {
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            stop("no target '\(name)'; there are: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
        }
        return target
    }

    private static func stop(_ what: String) -> Never {
        FileHandle.standardError.write(Data("Fuzz: \(what)\n".utf8))
        exit(64)
    }
}
