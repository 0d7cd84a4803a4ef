package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.identity.Guid;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The payloads of {@code kernel-payload-vectors.jsonl}, with what another project reads in them.
 */
@EnabledIf(value = "present", disabledReason = "no shared vectors on this machine")
class KernelVectorsTest {
  /** Fields that have another name there: task and our name, their name. */
  private static final Map<String, String> THEIR_NAMES =
      Map.ofEntries(
          Map.entry("Image/ImageBase", "BaseAddress"),
          Map.entry("Image/ImageSize", "ModuleSize"),
          Map.entry("Image/ImageChecksum", "ImageCheckSum"),
          Map.entry("Image/FileName", "ImageFileName"),
          Map.entry("Registry/OpenedKeys", "Counter1"),
          Map.entry("Registry/DelayCloseKCBs", "Counter2"),
          Map.entry("Registry/PrivateAllocPages", "Counter3"),
          Map.entry("Registry/PrivateAllocFree", "Counter4"),
          Map.entry("Registry/PrivateAllocUsed", "Counter5"),
          Map.entry("Registry/LookupCacheHit", "Counter6"),
          Map.entry("Registry/LookupCacheMissFound", "Counter7"),
          Map.entry("Registry/LookupCacheMissNotFound", "Counter8"),
          Map.entry("Registry/ViewMap", "Counter9"),
          Map.entry("Registry/ViewUnMap", "Counter10"),
          Map.entry("Registry/HiveShrink", "Counter11"));

  /** Two bytes for us, one reserved number of 16 bits there. */
  private static final Map<String, List<String>> SPLIT =
      Map.of(
          "PerfInfo/SampleProf", List.of("Flags", "Rank"),
          "Thread/SetPriority", List.of("DynamicPriority", "Reserved"),
          "Thread/SetBasePriority", List.of("DynamicPriority", "Reserved"),
          "Thread/SetPagePriority", List.of("DynamicPriority", "Reserved"),
          "Thread/SetIoPriority", List.of("DynamicPriority", "Reserved"));

  /** Reasons why a vector differs from its bytes. */
  private enum Difference {
    /** Its text has one blank where the bytes have two. */
    BLANKS,
    /** Its text is empty; the bytes have one, and nothing is left behind it. */
    LOST,
    /** Its last field is one that newer systems added; the bytes have it. */
    ADDED
  }

  private static final Map<String, Difference> DIFFERENT =
      Map.of(
          "EventTrace/Header v2 32", Difference.LOST,
          "Image/Load v3 64", Difference.LOST,
          "Process/Start v4 64", Difference.BLANKS,
          "Process/End v4 64", Difference.BLANKS,
          "FileIo/Read v3 64", Difference.ADDED,
          "FileIo/Write v3 64", Difference.ADDED);

  /** Records without their last field: the name of a thread is newer, the flag has no use. */
  private static final Map<String, String> MISSING =
      Map.of(
          "PerfInfo/DebuggerEnabled v2 64", "pad",
          "Thread/Start v3 32", "ThreadName",
          "Thread/Start v3 64", "ThreadName",
          "Thread/End v3 32", "ThreadName",
          "Thread/End v3 64", "ThreadName",
          "Thread/DCStart v3 64", "ThreadName",
          "Thread/DCEnd v3 64", "ThreadName");

  private record Expected(String name, String kind, String value) {}

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Vector(
      Guid provider,
      int opcode,
      int version,
      int pointerBytes,
      byte[] bytes,
      List<Expected> fields,
      String event,
      Schema schema) {
    String name() {
      return event + " v" + version + " " + 8 * pointerBytes;
    }

    Payload read(byte[] content) {
      Payload payload = new Payload();
      payload.read(schema, Bytes.copyOf(content, name()), 0, content.length, pointerBytes);
      return payload;
    }
  }

  private final SchemaTable table = SchemaTable.kernel();
  private final List<Vector> vectors = new ArrayList<>();

  static boolean present() {
    return TestData.available();
  }

  @BeforeEach
  void readVectors() {
    try {
      KernelEvents events = new KernelEvents();
      for (String line : Files.readAllLines(TestData.file("etl/kernel-payload-vectors.jsonl"))) {
        vectors.add(parse(line, events));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Vector parse(String line, KernelEvents events) throws IOException {
    Map<String, String> text = new TreeMap<>();
    List<Expected> fields = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(line)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String member = json.currentName();
        json.nextToken();
        if (member.equals("fields")) {
          while (json.nextToken() == JsonToken.START_ARRAY) {
            fields.add(field(json));
          }
        } else {
          text.put(member, json.getText());
        }
      }
    }
    Guid provider = Guid.parse(get(text, "provider"));
    int opcode = Integer.parseInt(get(text, "opcode"));
    int version = Integer.parseInt(get(text, "version"));
    int hookId = events.hookId(provider, opcode);
    Schema schema = table.schema(provider, hookId, version);
    assertNotNull(schema, line);
    return new Vector(
        provider,
        opcode,
        version,
        Integer.parseInt(get(text, "pointerBits")) / 8,
        HexFormat.of().parseHex(get(text, "payloadHex")),
        fields,
        Objects.requireNonNull(schema.event()),
        schema);
  }

  private static String get(Map<String, String> text, String member) {
    return Objects.requireNonNull(text.get(member), member);
  }

  private static Expected field(JsonParser json) throws IOException {
    json.nextToken();
    String name = json.getText();
    json.nextToken();
    String kind = json.getText();
    json.nextToken();
    String value = json.getText();
    if (json.currentToken() == JsonToken.START_OBJECT) {
      // {"sid": "hex"}
      json.nextToken();
      json.nextToken();
      value = json.getText();
      json.nextToken();
    }
    json.nextToken();
    return new Expected(name, kind, value);
  }

  /** Their fields as we would say them, so that a difference shows all of a payload. */
  private static List<String> theirs(Vector v) {
    List<String> lines = new ArrayList<>();
    for (Expected field : v.fields) {
      boolean hidden =
          field.name.equals("Padding") || v.event.equals("Thread/SpinLock") && field.kind.isEmpty();
      if (!hidden) {
        lines.add(field.name + "=" + (field.kind.isEmpty() ? "..." : field.value));
      }
    }
    return lines;
  }

  private static List<String> ours(Vector v, Payload payload) {
    List<String> lines = new ArrayList<>();
    String task = v.event.substring(0, v.event.indexOf('/') + 1);
    List<String> split = SPLIT.getOrDefault(v.event, List.of());
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      String name = payload.field(i).name();
      if (split.contains(name)) {
        if (name.equals(split.get(0))) {
          long both = payload.bytes().u16(payload.offset(i));
          lines.add("Reserved=" + both);
        }
        continue;
      }
      lines.add(THEIR_NAMES.getOrDefault(task + name, name) + "=" + value(payload, i));
    }
    return lines;
  }

  private static String value(Payload payload, int i) {
    if (payload.token(i) != Payload.Token.VALUE) {
      return "...";
    }
    Field field = payload.field(i);
    long number = payload.integer(i);
    return switch (field.in()) {
      case WBEM_SID ->
          HexFormat.of().formatHex(payload.bytes().array(payload.offset(i), payload.length(i)));
      case UNICODE_STRING, ANSI_STRING -> payload.text(i);
      case INT8, INT16, INT32, INT64 -> Long.toString(number);
      // They take no notice of the network's order.
      default ->
          field.out() == OutType.PORT
              ? Integer.toString(payload.bytes().u16(payload.offset(i)))
              : Long.toUnsignedString(number);
    };
  }

  @Test
  void everyFieldOfEveryVectorIsAsExpected() {
    assertEquals(181, vectors.size());
    List<String> different = new ArrayList<>();
    for (Vector v : vectors) {
      List<String> theirs = theirs(v);
      List<String> ours = ours(v, v.read(v.bytes));
      if (!theirs.equals(ours)) {
        different.add(v.name());
        assertEquals(theirs, likeTheirs(ours, DIFFERENT.get(v.name()), theirs), v.name());
      }
    }
    different.sort(null);
    assertEquals(DIFFERENT.keySet().stream().sorted().toList(), different);
  }

  private static List<String> likeTheirs(
      List<String> ours, @Nullable Difference why, List<String> theirs) {
    if (why == null) {
      return ours;
    }
    return switch (why) {
      case BLANKS -> ours.stream().map(line -> line.replaceAll(" +", " ")).toList();
      case ADDED -> ours.subList(0, ours.size() - 1);
      case LOST ->
          ours.stream()
              .map(line -> {
                String empty = line.substring(0, line.indexOf('=') + 1);
                return theirs.contains(empty) ? empty : line;
              })
              .toList();
    };
  }

  @Test
  void everyVectorIsConsumedToTheLastByte() {
    List<String> left = new ArrayList<>();
    for (Vector v : vectors) {
      Payload payload = v.read(v.bytes);
      if (payload.restLength() > 0) {
        left.add(v.name() + " +" + payload.restLength());
      }
    }
    assertEquals(List.of(), left);
  }

  @Test
  void onlyFieldsThatOlderSystemsLackAreMissing() {
    Map<String, String> missing = new TreeMap<>();
    for (Vector v : vectors) {
      Payload payload = v.read(v.bytes);
      if (payload.isShort()) {
        missing.put(v.name(), v.schema.fields().getLast().name());
      }
    }
    assertEquals(MISSING, missing);
  }

  @Test
  void payloadsThatAreCutAtAnyByteHaveTheFieldsThatFit() {
    for (Vector v : vectors) {
      Payload whole = v.read(v.bytes);
      for (int length = 0; length < v.bytes.length; length++) {
        Payload payload = v.read(Arrays.copyOf(v.bytes, length));
        PayloadText.readAll(payload);
        for (int i = 0; i < whole.size() && fits(whole, i, length); i++) {
          assertTrue(i < payload.size(), v.name() + " " + length);
          assertEquals(
              PayloadText.line(whole, i), PayloadText.line(payload, i), v.name() + " " + length);
        }
      }
    }
  }

  private static boolean fits(Payload whole, int i, int length) {
    int terminator =
        switch (whole.field(i).in()) {
          case UNICODE_STRING -> 2;
          case ANSI_STRING -> 1;
          default -> 0;
        };
    return whole.token(i) == Payload.Token.VALUE
        && whole.offset(i) + whole.length(i) + terminator <= length;
  }

  @Test
  void whatANewerSystemAppendsIsLeftAsRest() {
    for (Vector v : vectors) {
      Payload shorter = v.read(v.bytes);
      Payload longer = v.read(Arrays.copyOf(v.bytes, v.bytes.length + 7));
      if (!shorter.isShort()) {
        assertEquals(PayloadText.lines(shorter), PayloadText.lines(longer), v.name());
        assertEquals(shorter.restLength() + 7, longer.restLength(), v.name());
      }
    }
  }
}
