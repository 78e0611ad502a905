/// Values that are computed once and kept for the life of the process, in a `static let`.
///
/// Not an array: threads would contend for counting its references, however little they do with it.
@safe struct KeptTable<Element: Sendable>: @unchecked Sendable {
    // Unchecked: never written to again.
    private let elements: UnsafeBufferPointer<Element>

    init(_ elements: [Element]) {
        let kept = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe kept.initialize(fromContentsOf: elements)
        unsafe self.elements = UnsafeBufferPointer(kept)
    }

    subscript(index: Int) -> Element {
        unsafe precondition(index >= 0 && index < elements.count)
        return unsafe elements[index]
    }

    /// Hands the values to `body` as they lie in memory; an index is not checked there.
    func withUnsafeBufferPointer<Result>(_ body: (UnsafeBufferPointer<Element>) -> Result) -> Result {
        unsafe body(elements)
    }
}
