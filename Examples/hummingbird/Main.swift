import Foundation

@main struct Main {
    static func main() async {
        do {
            try await Server.run()
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }
}
