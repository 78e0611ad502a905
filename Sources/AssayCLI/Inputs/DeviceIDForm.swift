/// The form of Approov's device IDs: base64 of 16 bytes. The bits that belong to no byte may be set, as in the vendor's examples.
enum DeviceIDForm {
    /// Whether a text has the form.
    static func fits(_ text: String) -> Bool {
        let isBase64 = text.utf8.dropLast(2).allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: true
            default: false
            }
        }
        return text.utf8.count == 24 && text.hasSuffix("==") && isBase64
    }
}
