package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Property;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Rows of JSON are, byte for byte, what the library writes of the same values. */
final class JsonRowTest {
  /** Characters with escapes, those that steer terminals, halves of characters, and others. */
  private static final String SOME =
      "a~ \"\\/\b\t\n\f\r\u0000\u001b\u001f\u007f\u0080\u009b\u009f\u00a0\u00fc\u061b\u061c\u07ff"
          + "\u0800\u200e\u200f\u2027\u2028\u2029\u202e\u2066\u2069\u206a\ud7ff\ue000\ufffd\uffff"
          + "\ud800\udbff\udc00\udfff\ud83d\ude00";

  /** A character of two UTF-16 code units. */
  private static final String PAIR = "\ud83d\udc00";

  private static TextPrinter printer(ByteArrayOutputStream to, boolean isAscii) {
    return new TextPrinter(to, false, isAscii);
  }

  /** Asserts that an object with these members is the same by both. */
  private static void same(boolean isAscii, Consumer<JsonRow> members, Consumer<Json> byLibrary) {
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    TextPrinter printed = printer(expected, isAscii);
    try (Json json = new Json(printed)) {
      json.object();
      byLibrary.accept(json);
      json.endObject();
    }
    printed.flush();
    ByteArrayOutputStream actual = new ByteArrayOutputStream();
    TextPrinter to = printer(actual, isAscii);
    JsonRow row = JsonRow.of(to).begin();
    members.accept(row);
    try (JsonLines lines = new JsonLines(to)) {
      row.endObject().line(lines);
    }
    to.flush();
    assertEquals(
        expected.toString(StandardCharsets.ISO_8859_1),
        actual.toString(StandardCharsets.ISO_8859_1));
  }

  private static <T> void same(
      List<T> values, BiConsumer<JsonRow, T> write, BiConsumer<Json, T> byLibrary) {
    same(
        false,
        row -> {
          row.key("v").array();
          values.forEach(value -> write.accept(row.element(), value));
          row.endArray();
        },
        json -> {
          json.array("v");
          values.forEach(value -> byLibrary.accept(json, value));
          json.endArray();
        });
  }

  private static String text(Property.Gen g) {
    StringBuilder text = new StringBuilder();
    for (int i = g.below(12); i > 0; i--) {
      text.append(g.below(3) == 0 ? (char) g.below(1 << 16) : SOME.charAt(g.below(SOME.length())));
    }
    return text.toString();
  }

  @Test
  void textsNamesAndKeysHaveTheEscapesOfTheLibrary() {
    for (int i = 0; i < SOME.length(); i++) {
      String one = SOME.charAt(i) + "z";
      same(false, row -> row.key("c").text(one), json -> json.text("c", one));
    }
    same(false, row -> row.key("c").name(PAIR), json -> json.name("c", PAIR));
    Property.check(g -> {
      boolean isAscii = g.flag();
      String key = "k" + text(g);
      String text = text(g);
      same(
          isAscii,
          row -> {
            JsonRow.Key other = row.newKey("o" + key);
            row.key(key).text(text).key(other).name(text).key("again").name(text);
            row.key("encoded").encoded(row.encodedName(text)).key("none").text(null);
            row.key("no name").name(null);
          },
          json ->
              json.text(key, text)
                  .name("o" + key, text)
                  .name("again", text)
                  .name("encoded", text)
                  .unknown("none")
                  .unknown("no name"));
    });
  }

  @Test
  void integersAreThoseOfTheLibrary() {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < Long.SIZE; i++) {
      for (long near = -2; near <= 2; near++) {
        values.add((1L << i) + near);
        values.add(-(1L << i) + near);
      }
    }
    for (long power = 1; power > 0 && power <= Long.MAX_VALUE / 10; power *= 10) {
      for (long near = -1; near <= 1; near++) {
        values.add(10 * power + near);
        values.add(-10 * power + near);
      }
    }
    same(values, JsonRow::number, Json::number);
    same(values, JsonRow::unsigned, Json::unsigned);
    same(values, JsonRow::hex, Json::hex);
    Property.check(g -> {
      List<Long> some = List.of(g.bits(), g.scaled(), -g.scaled(), g.bits() >> g.below(64));
      same(some, JsonRow::number, Json::number);
      same(some, JsonRow::unsigned, Json::unsigned);
      same(some, JsonRow::hex, Json::hex);
      long first = some.getFirst();
      same(
          false,
          row -> row.number(row.newKey("a"), first).number(row.newKey("b"), -first),
          json -> json.number("a", first).number("b", -first));
      same(
          false,
          row -> row.unsigned(row.newKey("a"), first).unsigned(row.newKey("b"), -first),
          json -> json.unsigned("a", first).unsigned("b", -first));
      same(
          false,
          row -> row.hex(row.newKey("a"), first).hex(row.newKey("b"), first >>> 37),
          json -> json.key("a").hex(first).key("b").hex(first >>> 37));
    });
  }

  @Test
  void addressesInARowAreAnArray() {
    byte[] all = {1, 0, 0, (byte) 0x80, 0, 0, 0, (byte) 0xff, 2, 3};
    Bytes bytes = Bytes.copyOf(all, "addresses");
    JsonRow row = new JsonRow();
    row.begin().key("none").hexes(bytes, 10, 8, 0).key("one").hexes(bytes, 0, 8, 1);
    row.key("narrow").hexes(bytes, 1, 4, 2).key("short").hexes(bytes, 0, 2, 5);
    assertEquals(
        "{\"none\":[],\"one\":[\"0xff00000080000001\"],\"narrow\":[\"0x800000\",\"0x2ff0000\"],"
            + "\"short\":[\"0x1\",\"0x8000\",\"0x0\",\"0xff00\",\"0x302\"]}",
        row.endObject().toString());
  }

  @Test
  void fractionsAreThoseOfTheLibrary() {
    List<Double> values =
        List.of(
            0.0,
            -0.0,
            1e-3,
            1e7,
            0.1,
            1.0 / 3,
            Double.MIN_VALUE,
            Double.MIN_NORMAL,
            Double.MAX_VALUE,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY);
    same(values, JsonRow::real, Json::real);
    same(
        values,
        (row, value) -> row.real(value.floatValue()),
        (json, value) -> json.real(value.floatValue()));
    Property.check(g -> {
      long bits = g.bits();
      same(List.of(Double.longBitsToDouble(bits)), JsonRow::real, Json::real);
      same(List.of(Float.intBitsToFloat((int) bits)), JsonRow::real, Json::real);
    });
  }

  @Test
  void pointsInTimeAreDatesWithTheirFractionOrUnknown() {
    long last = 134_179_504_139_999_990L;
    JsonRow row = new JsonRow();
    JsonRow.Key first = row.newKey("first");
    JsonRow.Key again = row.newKey("again");
    assertEquals(
        "{\"first\":null,\"again\":\"2026-03-14T08:26:53.9999990Z\",\"again\":\"2026-03-14T08:26:54.0000000Z\"}",
        row.begin().utc(first, 0).utc(again, last).utc(again, last + 10).endObject().toString());
    assertEquals(
        "{\"again\":\"2026-03-14T08:26:54.9999989Z\",\"first\":\"2026-03-14T08:26:53.9999993Z\"}",
        row.begin().utc(again, last + 9_999_999).utc(first, last + 3).endObject().toString());
    Property.check(g -> {
      long time = g.flag() ? 134_180_000_000_000_000L + g.below(1 << 30) : g.bits() >> g.below(64);
      for (long one : new long[] {0, 1, time, time, time + 1, time + 9_999_999, time - 1, -1, 5}) {
        String text = Numbers.utc(one);
        assertEquals(
            "{\"first\":" + (text == null ? text : '"' + text + '"') + "}",
            row.begin().utc(first, one).endObject().toString());
      }
    });
  }

  @Test
  void bytesAndTruthValuesAreThoseOfTheLibrary() {
    byte[] all = new byte[3000];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) (i * 37 + 200);
    }
    Bytes bytes = Bytes.copyOf(all, "all");
    same(
        List.of(0, 1, 7, 8, 9, 2990),
        (row, length) -> row.bytes(bytes, 3, length),
        (json, length) -> json.bytes(bytes, 3, length));
    same(List.of(true, false), JsonRow::bool, Json::bool);
  }

  @Test
  void objectsAndArraysMayBeEmptyAndContainEachOther() {
    same(false, row -> {}, json -> {});
    same(
        false,
        row -> {
          row.key("a").object().endObject().key("b").array().endArray().key("c").array();
          row.element().object().key("d").number(1).key("e").array();
          row.element().number(2).element().text("[").element().text("{").endArray().endObject();
          row.element().object().key("f").text("{").key("g").bool(true).endObject();
          row.element().array().element().unknown().endArray().endArray().key("h").number(3);
        },
        json ->
            json.object("a")
                .endObject()
                .array("b")
                .endArray()
                .array("c")
                .object()
                .number("d", 1)
                .array("e")
                .number(2)
                .text("[")
                .text("{")
                .endArray()
                .endObject()
                .object()
                .text("f", "{")
                .bool("g", true)
                .endObject()
                .array()
                .text(null)
                .endArray()
                .endArray()
                .number("h", 3));
  }

  @Test
  void rowsAreElementsOfWhatTheLibraryWrites() {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    JsonRow row = new JsonRow();
    try (Json json = new Json(written)) {
      json.object().number("n", 1).array("rows");
      json.row(row.begin().key("a").number(1).endObject());
      json.row(row.begin().key("b").number(2).endObject());
      json.endArray().number("m", 2).endObject();
      json.row(row.begin().endObject());
    }
    assertEquals(
        "{\"n\":1,\"rows\":[{\"a\":1},{\"b\":2}],\"m\":2}\n{}\n",
        written.toString(StandardCharsets.UTF_8));
  }

  @Test
  void membersThatAreKeptAreWrittenAgain() {
    JsonRow row = new JsonRow();
    row.begin().key("first").number(1);
    int begin = row.size();
    row.key("a").text("b").key("c").number(2);
    byte[] kept = row.from(begin);
    assertEquals(
        "{\"other\":3,\"a\":\"b\",\"c\":2}",
        row.begin().key("other").number(3).members(kept).endObject().toString());
  }
}
