import AssayCore
import AssayPrimitives
import AssayTesting
import CCBOR

extension FuzzTarget {
    /// CBOR against the tree decoder of libcbor, in both directions.
    ///
    /// If Assay reads some bytes, libcbor reads the same tree. If libcbor reads them, Assay does too, with these
    /// declared exceptions:
    /// - arguments that are not in their shortest form, and indefinite lengths: writing the tree then gives other bytes
    /// - duplicate keys, and keys that are neither text nor integers
    /// - text that is not UTF-8
    /// - more than ``InputLimits/cborDepth`` levels
    ///
    /// NaNs are not compared, because libcbor does not keep their bits.
    static let cborAndLibcbor = FuzzTarget(
        name: "cbor-libcbor", maximumLength: 256, dictionary: cbor.dictionary,
        seeds: { CBORReading.seeds() },
        run: { input in
            var reader = CBORReader(input, allowingTags: true)
            let ours: Result<CBORItem, DecodeError>
            do throws(DecodeError) {
                let item = try CBORReading.item(&reader, of: input[...], depth: 0)
                try reader.finish()
                ours = .success(item)
            } catch {
                ours = .failure(error)
            }
            // libcbor allocates memory for the claimed number of items before it finds that they are missing.
            guard LibcborTree.claimsAreBounded(input) else {
                if case .success(let item) = ours { broken("a claim beyond the input was read: \(item)") }
                return false
            }
            let theirs = LibcborTree(input)
            switch (ours, theirs) {
            case (.success(let item), let tree?):
                guard !tree.hasNaN else { return true }
                require(tree.root?.encoded == item.encoded, "two trees: \(item), \(String(describing: tree.root))")
                return true
            case (.success(let item), nil): broken("read here and refused by libcbor: \(item)")
            case (.failure(let error), let tree?):
                require(!tree.isStrict(input), "refused here, read by libcbor and strict: \(error)")
                return false
            case (.failure, nil): return false
            }
        })
}

/// An input as libcbor reads it, if it is one item.
struct LibcborTree {
    /// The item; nil if a part has indefinite length.
    private(set) var root: CBORItem?
    private(set) var hasNaN = false
    private var isWellKeyed = true
    private var isUTF8 = true
    private var depth = 0

    /// Nil if libcbor refuses the bytes, or if bytes follow the item.
    init?(_ input: [UInt8]) {
        var result = cbor_load_result()
        guard let item = cbor_load(input, input.count, &result) else { return nil }
        defer {
            var item: UnsafeMutablePointer<cbor_item_t>? = item
            cbor_decref(&item)
        }
        guard result.read == input.count else { return nil }
        root = convert(item, depth: 0)
    }

    /// Whether the bytes keep every rule of ``CBORReader``.
    func isStrict(_ input: [UInt8]) -> Bool {
        isWellKeyed && isUTF8 && !hasNaN && depth <= InputLimits.cborDepth && root?.encoded == input
    }

    private mutating func convert(_ item: UnsafeMutablePointer<cbor_item_t>, depth: Int) -> CBORItem? {
        switch cbor_typeof(item) {
        case CBOR_TYPE_UINT: return .unsigned(cbor_get_int(item))
        case CBOR_TYPE_NEGINT: return .negative(argument: cbor_get_int(item))
        case CBOR_TYPE_BYTESTRING:
            guard cbor_bytestring_is_definite(item) else { return nil }
            return .bytes(Array(UnsafeBufferPointer(start: item.pointee.data, count: cbor_bytestring_length(item))))
        case CBOR_TYPE_STRING:
            guard cbor_string_is_definite(item) else { return nil }
            let bytes = Array(UnsafeBufferPointer(start: item.pointee.data, count: cbor_string_length(item)))
            guard let text = String(validating: bytes, as: UTF8.self) else {
                isUTF8 = false
                return nil
            }
            return .text(text)
        case CBOR_TYPE_ARRAY: return array(item, depth: depth + 1)
        case CBOR_TYPE_MAP: return map(item, depth: depth + 1)
        case CBOR_TYPE_TAG:
            guard let inner = cbor_tag_item(item) else { return nil }
            defer { cbor_intermediate_decref(inner) }
            return convert(inner, depth: depth).map { .tagged(cbor_tag_value(item), $0) }
        default: return simple(item)
        }
    }

    private mutating func array(_ item: UnsafeMutablePointer<cbor_item_t>, depth: Int) -> CBORItem? {
        self.depth = max(self.depth, depth)
        var isComplete = cbor_array_is_definite(item)
        var items: [CBORItem] = []
        for index in 0..<cbor_array_size(item) {
            guard let element = cbor_array_handle(item)[index], let found = convert(element, depth: depth) else {
                isComplete = false
                continue
            }
            items.append(found)
        }
        return isComplete ? .array(items) : nil
    }

    private mutating func map(_ item: UnsafeMutablePointer<cbor_item_t>, depth: Int) -> CBORItem? {
        self.depth = max(self.depth, depth)
        var isComplete = cbor_map_is_definite(item)
        var items: [CBORItem] = []
        var keys: Set<[UInt8]> = []
        for index in 0..<cbor_map_size(item) {
            let pair = cbor_map_handle(item)[index]
            guard let first = pair.key, let second = pair.value, let key = convert(first, depth: depth),
                let value = convert(second, depth: depth)
            else {
                isComplete = false
                continue
            }
            switch key {
            case .text, .unsigned, .negative: isWellKeyed = isWellKeyed && keys.insert(key.encoded).inserted
            default: isWellKeyed = false
            }
            items += [key, value]
        }
        return isComplete ? .map(items) : nil
    }

    private mutating func simple(_ item: UnsafeMutablePointer<cbor_item_t>) -> CBORItem {
        if cbor_float_ctrl_is_ctrl(item) { return .simple(cbor_ctrl_value(item)) }
        let value = cbor_float_get_float(item)
        hasNaN = hasNaN || value.isNaN
        func bytes(_ first: UInt8, _ pattern: UInt64, _ count: Int) -> CBORItem {
            .raw([first] + (0..<count).map { UInt8(truncatingIfNeeded: pattern >> UInt64(8 * (count - 1 - $0))) })
        }
        switch cbor_float_get_width(item) {
        case CBOR_FLOAT_16: return bytes(0xF9, UInt64(Float16(value).bitPattern), 2)
        case CBOR_FLOAT_32: return bytes(0xFA, UInt64(Float(value).bitPattern), 4)
        default: return bytes(0xFB, value.bitPattern, 8)
        }
    }

    /// Whether no array and no map claims more items than there are bytes. Reads only the heads of the items.
    static func claimsAreBounded(_ input: [UInt8]) -> Bool {
        var rest = input[...]
        while let first = rest.popFirst() {
            let information = first & 0x1F
            var argument = UInt64(information)
            if (24...27).contains(information) {
                let count = 1 << Int(information - 24)
                guard rest.count >= count else { return true }
                argument = rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
                rest = rest.dropFirst(count)
            } else if information > 27 {
                continue
            }
            switch first >> 5 {
            case 2, 3:
                guard argument <= UInt64(rest.count) else { return true }
                rest = rest.dropFirst(Int(argument))
            case 4, 5: if argument > UInt64(input.count) { return false }
            default: break
            }
        }
        return true
    }
}
