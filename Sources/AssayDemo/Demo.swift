import AssayCLI

/// The program without HTTP, for `make demo`: HTTP and TLS take as long to compile as everything that it needs.
@main
struct Demo {
    static func main() async {
        await AssayProgram.main(google: nil)
    }
}
