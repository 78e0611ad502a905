/// An immutable table for a `static let`, never freed. Not an array: threads would contend for its reference count.
@safe struct ImmortalTable<Element: Sendable>: @unchecked Sendable {
    // Unchecked: immutable after initialisation.
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

    /// Calls `body` with the elements. The buffer does not check indices.
    func withUnsafeBufferPointer<Result>(_ body: (UnsafeBufferPointer<Element>) -> Result) -> Result {
        unsafe body(elements)
    }
}
