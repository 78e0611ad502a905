package dev.assay.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is stored of one key of one account in one app. Times are milliseconds since 1970 by the device's clock. */
final class EnrolmentRecord {
    static final List<String> PHASES = Arrays.asList("new", "keyMade", "attesting", "attested", "submitted", "enrolled");

    /** One of {@link #PHASES}. */
    String phase = "new";
    /** The alias of the key. */
    String key;
    String challenge;
    long challengeFrom;
    long challengeEnds;
    /** The attestation, until the server has answered. */
    String evidence;
    /** Times of the last day's keys. */
    List<Long> keysMade = new ArrayList<>();
    long failures;
    long notBefore;
    String cause;
    String code;
    String halt;
    String haltApp;
    String haltSystem;
    /** The server's clock less the device's. */
    long offset;
    /** A mark that a reinstallation changes. */
    String installation;
    /** The process that works on the record, and until when. */
    String owner;
    long leaseEnds;

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("phase", phase);
        map.put("key", key);
        map.put("challenge", challenge);
        map.put("challengeFrom", challengeFrom);
        map.put("challengeEnds", challengeEnds);
        map.put("evidence", evidence);
        map.put("keysMade", new ArrayList<Object>(keysMade));
        map.put("failures", failures);
        map.put("notBefore", notBefore);
        map.put("cause", cause);
        map.put("code", code);
        map.put("halt", halt);
        map.put("haltApp", haltApp);
        map.put("haltSystem", haltSystem);
        map.put("offset", offset);
        map.put("installation", installation);
        map.put("owner", owner);
        map.put("leaseEnds", leaseEnds);
        return map;
    }

    /** The record of stored values. Missing ones are those of a new record; what no version of the kit has written is left out. */
    static EnrolmentRecord of(Map<String, Object> map) {
        Fields fields = Fields.of("record", map);
        EnrolmentRecord record = new EnrolmentRecord();
        if (PHASES.contains(fields.text("phase"))) record.phase = fields.text("phase");
        record.key = fields.text("key");
        record.challenge = fields.text("challenge");
        record.challengeFrom = fields.number("challengeFrom", 0);
        record.challengeEnds = fields.number("challengeEnds", 0);
        record.evidence = fields.text("evidence");
        Object made = map.get("keysMade");
        if (made instanceof List) for (Object time : (List<?>) made) if (time instanceof Long) record.keysMade.add((Long) time);
        record.failures = fields.number("failures", 0);
        record.notBefore = fields.number("notBefore", 0);
        record.cause = fields.text("cause");
        record.code = fields.text("code");
        record.halt = fields.text("halt");
        record.haltApp = fields.text("haltApp");
        record.haltSystem = fields.text("haltSystem");
        record.offset = fields.number("offset", 0);
        record.installation = fields.text("installation");
        record.owner = fields.text("owner");
        record.leaseEnds = fields.number("leaseEnds", 0);
        if (record.key == null || record.evidence == null && record.phase.equals("attested")) {
            record.phase = "new";
            record.key = null;
        }
        return record;
    }
}
