package dev.assay.client;

import java.util.Map;

/** The named values of an event or an action. */
final class Fields {
    final String name;
    final Map<String, Object> values;

    private Fields(String name, Map<String, Object> values) {
        this.name = name;
        this.values = values;
    }

    /** Values of null and false are left out. */
    static Fields of(String name, Object... namesAndValues) {
        Map<String, Object> values = Json.of(namesAndValues);
        values.values().removeIf(Boolean.FALSE::equals);
        return new Fields(name, values);
    }

    static Fields of(String name, Map<String, Object> values) { return new Fields(name, values); }

    String text(String key) {
        Object value = values.get(key);
        return value instanceof String ? (String) value : null;
    }

    Long number(String key) {
        Object value = values.get(key);
        if (value instanceof Double && (Double) value % 1 == 0) return ((Double) value).longValue();
        return value instanceof Long ? (Long) value : null;
    }

    long number(String key, long otherwise) {
        Long value = number(key);
        return value == null ? otherwise : value;
    }

    boolean flag(String key) { return Boolean.TRUE.equals(values.get(key)); }

    Fields and(String key, Object value) {
        if (value != null) values.put(key, value);
        return this;
    }

    Fields named(String other) { return new Fields(other, values); }
}
