import CLibFuzzer
import Foundation
import FuzzTargets

/// `Fuzz TARGET [libFuzzer options and corpus folders]`, `Fuzz --list`, `Fuzz --seeds TARGET FOLDER`.
@main
struct Fuzz {
    /// The variable that passes the name of the target to child processes.
    private static let inheritedTarget = "ASSAY_FUZZ_TARGET"

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--list"] { return list() }
        if arguments.count == 3, arguments[0] == "--seeds" {
            do { return try SeedFolder(path: arguments[2]).write(target(arguments[1])) } catch { stop("\(error)") }
        }
        guard let name = arguments.first else { stop("which target? --list names them") }
        // To shrink an input, libFuzzer starts this program again with its own arguments, which do not name the target.
        if name.hasPrefix("-"), let target = ProcessInfo.processInfo.environment[inheritedTarget] {
            exit(Driver.run(self.target(target), options: arguments))
        }
        setenv(inheritedTarget, name, 1)
        exit(Driver.run(target(name), options: Array(arguments.dropFirst())))
    }

    /// Prints the names of the targets that can run here.
    private static func list() {
        let peers = ProcessInfo.processInfo.environment["ASSAY_PEERS"] ?? ""
        for target in FuzzTarget.all {
            if target.needsPeers, peers.isEmpty {
                FileHandle.standardError.write(Data("Fuzz: without ASSAY_PEERS there is no \(target.name)\n".utf8))
            } else {
                print(target.name)
            }
        }
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
