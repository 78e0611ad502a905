/// The program that `make install` installs.
@main
struct Program {
    static func main() async {
        await AssayProgram.main(
            google: HTTPGoogleConnector(), service: HTTPServiceRunner(), statusLists: HTTPStatusListConnector(),
            apple: HTTPAppleConnector(),
            postgreSQL: LibpqConnector())
    }
}
