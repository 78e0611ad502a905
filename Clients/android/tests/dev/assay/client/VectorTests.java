package dev.assay.client;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The state machines do exactly what TestVectors/client says, so that the kits of all platforms do the same. */
public final class VectorTests {
    private VectorTests() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        for (String kind : List.of("enrolment", "tokens", "integrity")) {
            List<String> lines = Files.readAllLines(folder.resolve(kind + ".ndjson"));
            Check.that(!lines.isEmpty(), kind + " has vectors");
            int steps = 0;
            for (String line : lines) steps += run(kind, Json.object(Json.parse(line)));
            Check.done(lines.size() + " vectors of " + kind + ", " + steps + " steps");
        }
    }

    private static Model model(String kind, Map<String, Object> settings, EnrolmentRecord record) {
        if (kind.equals("tokens")) return new TokenModel();
        if (kind.equals("integrity")) return new IntegrityModel();
        Fields fields = Fields.of("settings", settings);
        String process = fields.text("process");
        return new EnrolmentModel(fields.flag("keyHasChallenge"), (int) fields.number("keysADay", 3), process == null ? "p1" : process,
            record);
    }

    private static Map<String, Object> stored(Model model) {
        if (!(model instanceof EnrolmentModel)) return Map.of();
        Map<String, Object> map = ((EnrolmentModel) model).record().toMap();
        // What is stored can be read again, and is the same.
        Check.equal(map, EnrolmentRecord.of(new LinkedHashMap<>(map)).toMap(), "a record survives its storage");
        return map;
    }

    private static int run(String kind, Map<String, Object> vector) {
        Model model = model(kind, Json.object(vector.get("settings")), new EnrolmentRecord());
        Map<String, Object> record = stored(model);
        List<?> steps = (List<?>) vector.get("steps");
        for (int i = 0; i < steps.size(); i++) {
            Map<String, Object> step = Json.object(steps.get(i));
            String where = kind + ", " + vector.get("name") + ", step " + i;
            if (step.containsKey("restart")) {
                model = model(kind, Json.object(step.get("restart")), EnrolmentRecord.of(new LinkedHashMap<>(record)));
                continue;
            }
            Map<String, Object> event = new LinkedHashMap<>(Json.object(step.get("event")));
            Fields fields = Fields.of((String) event.remove("type"), event);
            List<Object> actions = new ArrayList<>();
            for (Fields action : model.step(fields, (Long) step.get("now"), ((Long) step.get("jitter")).intValue())) {
                Map<String, Object> map = new LinkedHashMap<>(action.values);
                map.put("action", action.name);
                actions.add(map);
            }
            Check.equal(step.get("actions"), actions, where + ": the actions");
            if (step.containsKey("record")) record.putAll(Json.object(step.get("record")));
            Check.equal(record, stored(model), where + ": the record");
        }
        return steps.size();
    }
}
