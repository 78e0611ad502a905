import AssayCore
import AssayPrimitives
import AssayReplay
import FoundationEssentials
import HTTPTypes
import NIOCore

/// A page of the console, without what all pages have.
struct ConsolePage {
    let title: String
    let content: Markup
    /// Whether the script loads the page again from time to time.
    var isRefreshed = false
}

/// Who asks for a page, and with what.
struct ConsoleVisit: Sendable {
    /// Who makes changes.
    let caller: Caller
    let rights: Set<OperatorRight>
    /// What forms carry.
    let formToken: String
    /// Whether there is a session, which can be ended; there is none on a unix socket.
    let hasSession: Bool
    /// The parameters of the query or of the form.
    var values: [String: String] = [:]

    /// The name in the audit trail.
    var name: String { caller.name }

    /// A value that is not empty.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The given values of fields, as the body of a request of the API has them: names of checks are a list there.
    func fields(_ names: [String]) -> AdminFields {
        let given = names.compactMap { name -> (String, RecordValue.Content)? in
            guard let text = self[name] else { return nil }
            guard name.isByteEqual(to: "checks") else { return (name, .text(text)) }
            let checks = text.split { " ,\n".contains($0) }
            return (name, .array(checks.map { RecordValue(.text(String($0)), offset: 0) }))
        }
        return AdminFields(fields: RecordFields(RecordObject(given), path: ""))
    }

    /// Demands that the visitor has typed a name again, before something that cannot be undone.
    func requireConfirmation(of name: String) throws(Problem) {
        let typed = values["confirm"] ?? ""
        guard typed.isByteEqual(to: name) else {
            throw ServiceRequest.queryProblem(
                "confirm", "to confirm, type \(name.excerpt), found \(typed.excerpt); nothing was changed")
        }
    }

    /// A form that changes something.
    func form(_ path: String, _ content: Markup) -> Markup {
        """
        <form method="post" action="\(path)"><input type="hidden" name="form" value="\(formToken)"/>\(content)</form>
        """
    }
}

extension Markup {
    /// A table that scrolls sideways in itself. Without rows, a sentence.
    static func table(_ label: String, _ heads: [String], _ rows: [[Markup]], none: String) -> Markup {
        if rows.isEmpty { return "<p>\(none)</p>" }
        let lines = rows.map { row in
            "<tr>\(row.enumerated().map { $0.offset == 0 ? "<th scope=\"row\">\($0.element)</th>" : "<td>\($0.element)</td>" } as [Markup])</tr>"
                as Markup
        }
        return """
            <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table><thead><tr>\
            \(heads.map { "<th scope=\"col\">\($0)</th>" } as [Markup])</tr></thead><tbody>\(lines)</tbody></table></div>
            """
    }

    /// A list of names and values.
    static func facts(_ facts: [(String, String?)]) -> Markup {
        let shown = facts.compactMap { name, value in value.map { (name, $0) } }
        return "<dl>\(shown.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" } as [Markup])</dl>"
    }

    /// A field of a form.
    static func field(_ label: String, _ name: String, value: String = "", hint: String = "", isRequired: Bool = false)
        -> Markup
    {
        let required: Markup = isRequired ? " required=\"required\"" : ""
        let note: Markup = hint.isEmpty ? "" : " <small>\(hint)</small>"
        return
            "<label>\(label)\(note) <input name=\"\(name)\" value=\"\(value)\" maxlength=\"4096\"\(required)/></label>"
    }

    /// A long text of a form.
    static func area(_ label: String, _ name: String, hint: String, rows: Int = 8) -> Markup {
        """
        <label>\(label) <small>\(hint)</small> <textarea name="\(name)" rows="\(rows)" spellcheck="false" autocomplete="off"></textarea></label>
        """
    }

    /// A choice of a form.
    static func choice(_ label: String, _ name: String, _ values: [String], selected: String? = nil) -> Markup {
        let options: [Markup] = values.map { value in
            let mark: Markup = selected?.isByteEqual(to: value) ?? false ? " selected=\"selected\"" : ""
            return "<option value=\"\(value)\"\(mark)>\(value)</option>"
        }
        return "<label>\(label) <select name=\"\(name)\">\(options)</select></label>"
    }

    /// What follows on a change.
    static func done(_ visit: ConsoleVisit) -> Markup {
        visit["done"] == nil ? "" : "<p class=\"notice\" role=\"status\">Done; the audit trail has it.</p>"
    }

    static func hidden(_ name: String, _ value: String) -> Markup {
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\"/>"
    }

    static func time(_ date: Date) -> Markup {
        let text = RFC3339.format(date)
        return "<time datetime=\"\(text)\">\(text)</time>"
    }

    /// A link to the page of a check.
    static func check(_ name: String) -> Markup {
        "<a href=\"/console/checks?name=\(name)\"><code>\(name)</code></a>"
    }
}

/// What all pages have.
enum ConsoleLayout {
    /// Nothing inline, nothing from elsewhere, in no frame. The referrer stays: with `no-referrer`, browsers send forms with
    /// `Origin: null`, which `SiteRules` refuses. No other site gets one.
    private static let headers = """
        Cache-Control: no-store\r
        Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r
        Cross-Origin-Opener-Policy: same-origin\r
        Cross-Origin-Resource-Policy: same-origin\r
        Referrer-Policy: same-origin\r
        X-Content-Type-Options: nosniff\r
        X-Frame-Options: DENY\r

        """

    /// An answer with the fields of all answers of the console.
    static func response(
        _ text: String, _ type: String, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]
    ) -> Response {
        Response(
            status: status, lines: Array("Content-Type: \(type); charset=utf-8\r\n\(headers)".utf8), headers: fields,
            body: .whole(ByteBuffer(string: text)))
    }

    /// Sends the browser to another page.
    static func redirect(_ path: String, _ fields: HTTPFields = [:]) -> Response {
        var fields = fields
        fields[.location] = path
        return response("", "text/plain", .seeOther, fields)
    }

    /// A whole page.
    ///
    /// - Parameters:
    ///   - visit: who sees it; nil without a session.
    ///   - links: the pages that the visitor may see: path and name.
    static func response(
        _ page: ConsolePage, _ visit: ConsoleVisit?, path: String, links: [(path: String, name: String)],
        _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]
    ) -> Response {
        let items: [Markup] = links.map { link in
            let current: Markup = link.path == path ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(link.path)\"\(current)>\(link.name)</a></li>"
        }
        let navigation: Markup = items.isEmpty ? "" : "<nav aria-label=\"Pages\"><ul>\(items)</ul></nav>"
        let leave: Markup =
            visit.map { $0.hasSession ? $0.form(Console.path + "/logout", "<button>Sign out</button>") : "" } ?? ""
        let who: Markup = visit.map { "<div class=\"who\"><span>\($0.name)</span>\(leave)</div>" } ?? ""
        let refresh: Markup = page.isRefreshed ? " data-refresh=\"30\"" : ""
        let idle = ConsoleSessions.idle.components.seconds
        let session: Markup = visit?.hasSession ?? false ? " data-idle=\"\(Int(idle))\"" : ""
        let markup: Markup = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"/><title>\(page.title) - Assay</title>
            <meta name="viewport" content="width=device-width"/><meta name="color-scheme" content="light dark"/>
            <link rel="stylesheet" href="/console/style.css"/><link rel="icon" href="/console/icon.svg"/>
            <script type="module" src="/console/console.js"></script></head>
            <body\(session)>\(Chart.patterns)<a class="skip" href="#main">To the content</a>
            <header><p class="name">Assay</p>\(who)\(navigation)</header>
            <main id="main" tabindex="-1"\(refresh)><h1>\(page.title)</h1>\(page.content)</main>
            <p id="status" role="status"></p></body></html>
            """
        return response(markup.html, "text/html", status, fields)
    }
}
