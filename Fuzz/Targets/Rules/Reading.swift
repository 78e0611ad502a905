import AssayCore

/// The rules for every decoder.
///
/// Reading the same bytes twice gives the same result. Reading them between other bytes does too, with offsets
/// increased by the number of bytes before them. An error points at a byte of the input or at its end.
struct Reading<Value> {
    private static var before: [UInt8] { [0x30, 0x22, 0xA1] }
    private static var after: [UInt8] { [0x22, 0x00, 0x7D, 0x2C] }

    /// The result.
    let result: Result<Value, DecodeError>

    /// The value; nil if the input was refused.
    var value: Value? { try? result.get() }

    /// The error; nil if the input was read.
    var error: DecodeError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// Reads an input by itself and between other bytes.
    ///
    /// - Parameters:
    ///   - isOffsetInside: whether errors point into the input; false if a part is decoded before it is read.
    ///   - isSame: whether two values are equal.
    init(
        _ input: [UInt8], isOffsetInside: Bool = true,
        by read: (ArraySlice<UInt8>) throws(DecodeError) -> Value, isSame: (Value, Value) -> Bool
    ) {
        func attempt(_ bytes: ArraySlice<UInt8>) -> Result<Value, DecodeError> {
            do throws(DecodeError) { return .success(try read(bytes)) } catch { return .failure(error) }
        }
        let start = Self.before.count
        result = attempt(input[...])
        let other = attempt((Self.before + input + Self.after)[start..<start + input.count])
        switch (result, other) {
        case (.success(let first), .success(let second)):
            FuzzTarget.require(isSame(first, second), "two readings of the same bytes differ: \(first), \(second)")
        case (.failure(let first), .failure(let second)):
            FuzzTarget.require(
                first.reason == second.reason && first.field == second.field && first.message == second.message,
                "two errors for the same bytes: \(first), \(second)")
            guard isOffsetInside else { return }
            FuzzTarget.require(
                (0...input.count).contains(first.offset) && second.offset == first.offset + start,
                "errors of the same bytes at \(first.offset), and at \(second.offset) where they begin at \(start): "
                    + "\(first)")
        case (.success, .failure(let error)), (.failure(let error), .success):
            FuzzTarget.broken("the same bytes were read once and refused once: \(error)")
        }
    }
}

extension Reading where Value: Equatable {
    /// Reads an input by itself and between other bytes.
    init(
        _ input: [UInt8], isOffsetInside: Bool = true, by read: (ArraySlice<UInt8>) throws(DecodeError) -> Value
    ) {
        self.init(input, isOffsetInside: isOffsetInside, by: read, isSame: ==)
    }
}
