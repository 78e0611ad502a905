import CBareCBOR

/// libcbor's decoder into a tree.
enum BareCBOR {
    /// Decodes all bytes into a tree and frees it.
    static func canLoad(_ bytes: [UInt8]) -> Bool {
        var result = cbor_load_result()
        var item = cbor_load(bytes, bytes.count, &result)
        guard item != nil else { return false }
        cbor_decref(&item)
        return result.read == bytes.count
    }
}
