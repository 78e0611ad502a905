package dev.assay.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict reader and a writer of JSON (RFC 8259) for small objects. Values are {@code Map<String, Object>}, {@code List<Object>},
 * {@code String}, {@code Long}, {@code Double}, {@code Boolean} and null. Repeated names, text after the value, nesting deeper than 32
 * and malformed UTF-8 are errors.
 */
final class Json {
    private static final int MAXIMUM_DEPTH = 32;
    private final String text;
    private int at;

    /** What is wrong, and at which character. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String what, int at) { super(what + " at character " + at); }
    }

    private Json(String text) { this.text = text; }

    static Object parse(byte[] utf8) throws Malformed {
        try {
            return parse(Bytes.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(utf8)).toString());
        } catch (CharacterCodingException error) {
            throw new Malformed("not UTF-8", 0);
        }
    }

    static Object parse(String text) throws Malformed {
        Json reader = new Json(text);
        Object value = reader.value(0);
        reader.peek();
        if (reader.at < text.length()) throw reader.error("text after the value");
        return value;
    }

    /** An object; other values are an error. */
    static Map<String, Object> object(byte[] utf8) throws Malformed {
        Map<String, Object> map = object(parse(utf8));
        if (map == null) throw new Malformed("not an object", 0);
        return map;
    }

    /** The value as an object, or null if it is something else. Keys of maps that this class makes are always texts. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) { return value instanceof Map ? (Map<String, Object>) value : null; }

    private Malformed error(String what) { return new Malformed(what, at); }

    /** The next character that is no white space; NUL at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void expect(String word) throws Malformed {
        if (!text.startsWith(word, at)) throw error("expected " + word);
        at += word.length();
    }

    private Object value(int depth) throws Malformed {
        if (depth > MAXIMUM_DEPTH) throw error("nested deeper than " + MAXIMUM_DEPTH);
        switch (peek()) {
            case '{': return members(depth);
            case '[': return elements(depth);
            case '"': return string();
            case 't': expect("true"); return Boolean.TRUE;
            case 'f': expect("false"); return Boolean.FALSE;
            case 'n': expect("null"); return null;
            default: return number();
        }
    }

    /** Whether another element follows, after a comma if it is not the first. */
    private boolean hasNext(char end, boolean isFirst) throws Malformed {
        if (peek() == end) { at++; return false; }
        if (!isFirst) expect(",");
        return true;
    }

    private Map<String, Object> members(int depth) throws Malformed {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        while (hasNext('}', map.isEmpty())) {
            if (peek() != '"') throw error("expected a name");
            String name = string();
            if (map.containsKey(name)) throw error("a name twice in one object");
            peek();
            expect(":");
            map.put(name, value(depth + 1));
        }
        return map;
    }

    private List<Object> elements(int depth) throws Malformed {
        List<Object> list = new ArrayList<>();
        at++;
        while (hasNext(']', list.isEmpty())) list.add(value(depth + 1));
        return list;
    }

    private char next() throws Malformed {
        if (at >= text.length()) throw error("the text ends early");
        return text.charAt(at++);
    }

    private String string() throws Malformed {
        StringBuilder out = new StringBuilder();
        at++;
        for (char c = next(); c != '"'; c = next()) {
            if (c < 0x20) throw error("a control character in text");
            out.append(c == '\\' ? escaped() : c);
        }
        for (int i = 0; i < out.length(); i++) {
            if (!Character.isSurrogate(out.charAt(i))) continue;
            boolean isPair = i + 1 < out.length() && Character.isSurrogatePair(out.charAt(i), out.charAt(++i));
            if (!isPair) throw error("half of a surrogate pair");
        }
        return out.toString();
    }

    private char escaped() throws Malformed {
        char c = next();
        int simple = "\"\\/bfnrt".indexOf(c);
        if (simple >= 0) return "\"\\/\b\f\n\r\t".charAt(simple);
        if (c != 'u' || !text.substring(at, Math.min(at + 4, text.length())).matches("[0-9A-Fa-f]{4}")) throw error("an unknown escape");
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }

    private Object number() throws Malformed {
        int start = at;
        while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) at++;
        String digits = text.substring(start, at);
        // A number beyond 64 bits loses precision, as for other readers.
        if (digits.matches("-?(0|[1-9][0-9]{0,17})")) return Long.valueOf(digits);
        if (digits.matches("-?(0|[1-9][0-9]{0,308})(\\.[0-9]{1,308})?([eE][+-]?[0-9]{1,3})?")) return Double.valueOf(digits);
        at = start;
        throw error("expected a value");
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String separator = "";
            out.append('{');
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                write(member.getKey(), out.append(separator));
                write(member.getValue(), out.append(':'));
                separator = ",";
            }
            out.append('}');
        } else if (value instanceof List) {
            String separator = "";
            out.append('[');
            for (Object element : (List<?>) value) {
                write(element, out.append(separator));
                separator = ",";
            }
            out.append(']');
        } else if (value instanceof String) {
            quote((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 0x20 || Character.isSurrogate(c) || c == 0x7f) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }

    /** An object of the names and values, in that order; a null value is left out. */
    static Map<String, Object> of(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
