import CCBOR

/// The head of one CBOR item: type and argument (RFC 8949 section 3). For a string, `length` includes its contents.
/// This type rejects indefinite lengths and arguments not in their shortest form, which libcbor accepts.
struct CBORHead {
    enum Kind: UInt8 {
        case unsigned, negative, byteString, text, array, map, tag
        /// `false`, `true`, `null`, `undefined` and floating-point numbers. No caller needs their values.
        case other
        case indefinite, stop
    }

    var kind = Kind.stop
    /// The value, length or count.
    var argument: UInt64 = 0
    /// The number of bytes of the head, plus the contents of a string.
    var length = 0

    /// Decodes the head at `position`, an index of `bytes`.
    static func decode(_ bytes: ArraySlice<UInt8>, at position: Int) throws(DecodeError) -> CBORHead {
        let left = bytes.endIndex - position
        guard left > 0 else { throw DecodeError(.truncated, at: position, "expected an item, found the end") }
        var head = CBORHead()
        let result = unsafe bytes.withUnsafeBufferPointer { buffer in
            // The buffer is not empty, so baseAddress is not nil.
            unsafe cbor_stream_decode(
                buffer.baseAddress?.advanced(by: buffer.count - left), left, CBORCallbacks.table, &head)
        }
        switch result.status {
        case CBOR_DECODER_FINISHED: break
        case CBOR_DECODER_NEDATA:
            throw DecodeError(.truncated, at: position, "the item is longer than the \(left) bytes that are left")
        default: throw DecodeError(.malformed, at: position, "\(hex(bytes[position])) begins no item that is defined")
        }
        head.length = result.read
        switch head.kind {
        case .other: return head
        case .indefinite: throw DecodeError(.indefiniteLength, at: position, "indefinite lengths are not allowed")
        case .stop: throw DecodeError(.malformed, at: position, "a break outside of an item of indefinite length")
        case .byteString, .text: try head.requireShortest(result.read - Int(head.argument), at: position)
        case .unsigned, .negative, .array, .map, .tag: try head.requireShortest(result.read, at: position)
        }
        return head
    }

    private func requireShortest(_ length: Int, at position: Int) throws(DecodeError) {
        let shortest =
            switch argument {
            case ..<24: 1
            case ...0xFF: 2
            case ...0xFFFF: 3
            case ...0xFFFF_FFFF: 5
            default: 9
            }
        guard length == shortest else {
            throw DecodeError(.notMinimal, at: position, "\(argument) takes \(shortest) bytes, found \(length)")
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        "0x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
}

/// The callbacks for libcbor. Their context is a ``CBORHead``, into which each writes its result.
private enum CBORCallbacks {
    /// Immutable and never freed, so threads may share it.
    nonisolated(unsafe) static let table: UnsafePointer<cbor_callbacks> = {
        var callbacks = cbor_empty_callbacks
        unsafe callbacks.uint8 = { unsafe found($0, .unsigned, UInt64($1)) }
        unsafe callbacks.uint16 = { unsafe found($0, .unsigned, UInt64($1)) }
        unsafe callbacks.uint32 = { unsafe found($0, .unsigned, UInt64($1)) }
        unsafe callbacks.uint64 = { unsafe found($0, .unsigned, $1) }
        unsafe callbacks.negint8 = { unsafe found($0, .negative, UInt64($1)) }
        unsafe callbacks.negint16 = { unsafe found($0, .negative, UInt64($1)) }
        unsafe callbacks.negint32 = { unsafe found($0, .negative, UInt64($1)) }
        unsafe callbacks.negint64 = { unsafe found($0, .negative, $1) }
        // libcbor's `size_t` is a signed `Int` in Swift; a claimed count can exceed Int.max.
        unsafe callbacks.byte_string = { unsafe found($0, .byteString, UInt64(truncatingIfNeeded: $2)) }
        unsafe callbacks.string = { unsafe found($0, .text, UInt64(truncatingIfNeeded: $2)) }
        unsafe callbacks.array_start = { unsafe found($0, .array, UInt64(truncatingIfNeeded: $1)) }
        unsafe callbacks.map_start = { unsafe found($0, .map, UInt64(truncatingIfNeeded: $1)) }
        unsafe callbacks.tag = { unsafe found($0, .tag, $1) }
        unsafe callbacks.boolean = { context, _ in unsafe found(context, .other) }
        unsafe callbacks.null = { unsafe found($0, .other) }
        unsafe callbacks.undefined = { unsafe found($0, .other) }
        unsafe callbacks.float2 = { context, _ in unsafe found(context, .other) }
        unsafe callbacks.float4 = { context, _ in unsafe found(context, .other) }
        unsafe callbacks.float8 = { context, _ in unsafe found(context, .other) }
        unsafe callbacks.byte_string_start = { unsafe found($0, .indefinite) }
        unsafe callbacks.string_start = { unsafe found($0, .indefinite) }
        unsafe callbacks.indef_array_start = { unsafe found($0, .indefinite) }
        unsafe callbacks.indef_map_start = { unsafe found($0, .indefinite) }
        unsafe callbacks.indef_break = { unsafe found($0, .stop) }
        let table = UnsafeMutablePointer<cbor_callbacks>.allocate(capacity: 1)
        unsafe table.initialize(to: callbacks)
        return unsafe UnsafePointer(table)
    }()

    private static func found(_ context: UnsafeMutableRawPointer?, _ kind: CBORHead.Kind, _ argument: UInt64 = 0) {
        guard let head = unsafe context?.assumingMemoryBound(to: CBORHead.self) else { return }
        unsafe head.pointee.kind = kind
        unsafe head.pointee.argument = argument
    }
}
