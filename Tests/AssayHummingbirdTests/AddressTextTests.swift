import AssayHummingbird
import NIOCore
import Testing

@Suite("Addresses of peers as text")
struct AddressTextTests {
    @Test(
        "The text is that of NIO",
        arguments: [
            "0.0.0.0", "1.2.3.4", "9.10.99.100", "127.0.0.1", "192.0.2.255", "255.255.255.255", "::1", "2001:db8::7",
            "::ffff:192.0.2.1",
        ])
    func text(_ text: String) throws {
        let address = try SocketAddress(ipAddress: text, port: 443)
        #expect(address.addressText == text && address.ipAddress == text)
    }

    @Test("A socket in the file system has none")
    func path() throws {
        #expect(try SocketAddress(unixDomainSocketPath: "/run/a").addressText == nil)
    }
}
