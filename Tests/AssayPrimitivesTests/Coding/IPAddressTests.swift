import AssayPrimitives
import Testing

/// Texts of addresses, of which IPv4 is recognised without reading it.
@Suite("Texts of addresses")
struct IPAddressTests {
    @Test(
        "Exactly the texts that can be read are addresses",
        arguments: [
            ("192.0.2.1", true), ("0.0.0.0", true), ("255.255.255.255", true), ("1.2.3.4", true), ("::1", true),
            ("2001:db8::1", true), ("::ffff:192.0.2.1", true), ("fe80::", true),
            ("", false), (".", false), ("...", false), ("1.2.3", false), ("1.2.3.", false), (".1.2.3", false),
            ("1..2.3", false), ("1.2.3.4.", false), ("1.2.3.4.5", false), ("256.0.0.1", false), ("1.2.3.1000", false),
            ("01.2.3.4", false), ("1.2.3.00", false), ("1.2.3.04", false), ("1.2.3.4 ", false), (" 1.2.3.4", false),
            ("1.2.3.4:80", false), ("1.2.3.4/8", false), ("+1.2.3.4", false), ("-1.2.3.4", false), ("0x1.2.3.4", false),
            ("1.2.3.a", false), ("1,2,3,4", false), ("16909060", false), ("192.168.100.1000", false),
            ("1.2.3.4\u{0}", false),
            ("::1%eth0", false), ("[::1]", false), ("１.2.3.4", false), ("99999999999999999999.1.1.1", false),
        ])
    func forms(text: String, isAddress: Bool) {
        #expect(IPAddress.isAddress(text) == isAddress)
        #expect((IPAddress(text) != nil) == isAddress)
    }
}
