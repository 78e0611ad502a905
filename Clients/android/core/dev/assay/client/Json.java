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

        Malformed(String what, int at) {
            super(what + " at character " + at);
        }
    }

    private Json(String text) {
        this.text = text;
    }

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
        reader.space();
        if (reader.at != text.length()) throw reader.error("text after the value");
        return value;
    }

    /** An object; other values are an error. */
    static Map<String, Object> object(byte[] utf8) throws Malformed {
        Object value = parse(utf8);
        Map<String, Object> map = object(value);
        if (map == null) throw new Malformed("not an object", 0);
        return map;
    }

    /** The value as an object, or null if it is something else. Keys of maps that this class makes are always texts. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : null;
    }

    private Malformed error(String what) {
        return new Malformed(what, at);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char peek() throws Malformed {
        if (at >= text.length()) throw error("the text ends early");
        return text.charAt(at);
    }

    private void expect(String word) throws Malformed {
        if (!text.startsWith(word, at)) throw error("expected " + word);
        at += word.length();
    }

    private Object value(int depth) throws Malformed {
        if (depth > MAXIMUM_DEPTH) throw error("nested deeper than " + MAXIMUM_DEPTH);
        space();
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

    private Map<String, Object> members(int depth) throws Malformed {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        space();
        if (peek() == '}') { at++; return map; }
        while (true) {
            space();
            if (peek() != '"') throw error("expected a name");
            String name = string();
            space();
            expect(":");
            Object value = value(depth + 1);
            if (map.containsKey(name)) throw error("a name twice in one object");
            map.put(name, value);
            space();
            if (peek() == '}') { at++; return map; }
            expect(",");
        }
    }

    private List<Object> elements(int depth) throws Malformed {
        List<Object> list = new ArrayList<>();
        at++;
        space();
        if (peek() == ']') { at++; return list; }
        while (true) {
            list.add(value(depth + 1));
            space();
            if (peek() == ']') { at++; return list; }
            expect(",");
        }
    }

    private String string() throws Malformed {
        StringBuilder out = new StringBuilder();
        at++;
        while (true) {
            char c = peek();
            at++;
            if (c == '"') return checked(out.toString());
            if (c < 0x20) throw error("a control character in text");
            if (c != '\\') { out.append(c); continue; }
            char escape = peek();
            at++;
            int simple = "\"\\/bfnrt".indexOf(escape);
            if (simple >= 0) out.append("\"\\/\b\f\n\r\t".charAt(simple));
            else if (escape == 'u') out.append(unit());
            else throw error("an unknown escape");
        }
    }

    private char unit() throws Malformed {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0 || peek() > 'f') throw error("expected four hexadecimal digits");
            value = value * 16 + digit;
            at++;
        }
        return (char) value;
    }

    private String checked(String value) throws Malformed {
        for (int i = 0; i < value.length(); i++) {
            if (!Character.isSurrogate(value.charAt(i))) continue;
            boolean pair = i + 1 < value.length() && Character.isSurrogatePair(value.charAt(i), value.charAt(i + 1));
            if (!pair) throw error("half of a surrogate pair");
            i++;
        }
        return value;
    }

    private Object number() throws Malformed {
        int start = at;
        while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) at++;
        String digits = text.substring(start, at);
        if (!digits.matches("-?(0|[1-9][0-9]{0,308})(\\.[0-9]{1,308})?([eE][+-]?[0-9]{1,3})?")) {
            at = start;
            throw error("expected a value");
        }
        try {
            if (digits.matches("-?[0-9]+")) return Long.valueOf(digits);
        } catch (NumberFormatException tooLong) {
            // As for other readers: a number beyond 64 bits loses precision.
        }
        return Double.valueOf(digits);
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String separator = "{";
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(separator);
                quote(member.getKey().toString(), out);
                out.append(':');
                write(member.getValue(), out);
                separator = ",";
            }
            out.append(separator.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String separator = "[";
            for (Object element : (List<?>) value) {
                out.append(separator);
                write(element, out);
                separator = ",";
            }
            out.append(separator.equals("[") ? "[]" : "]");
        } else if (value instanceof String) {
            quote((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
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
