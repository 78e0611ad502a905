// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// As much of SwiftUI as the example names, so that it is compiled.

@MainActor public protocol View {}
@MainActor public protocol Scene {}

@MainActor public protocol App {
    associatedtype Body: Scene
    init()
    var body: Body { get }
}

extension App {
    /// The program ends at once: there is no screen.
    public static func main() {}
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Part: View>(_ parts: repeat each Part) -> Parts { Parts() }
    public static func buildBlock<Part: View>(_ part: Part) -> Part { part }
}

public struct Parts: View {}

@MainActor public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}

@MainActor public struct VStack<Content: View>: View {
    public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
}

@MainActor public struct Text: View {
    public init(_ text: String) {}
}

@MainActor public struct Button: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}

extension View {
    public func padding() -> some View { self }
    public func task(_ action: @escaping @Sendable () async -> Void) -> some View { self }
}

@MainActor @propertyWrapper public struct State<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
