package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of values that every event has, where a field of some events has the same name. */
class OwnValuesTest {
  private static final Path SHOP = TestData.projectRoot().resolve("samples/shop.etl");
  private static final String NOTE =
      """
      note: %1$s is that of the event itself: some events have such a field, too
      try: fields.%1$s
      """;

  private static Path etl(String name) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("etl/" + name + ".etl.gz");
  }

  private static long records(Path file, String condition) {
    return Cli.run("events", file, "--count", "--where", condition, "--format", "json")
        .json()
        .get("records")
        .number();
  }

  private static long rows(Path file, String member, long value) {
    String own = "\"%s\":%d,".formatted(member, value);
    return Cli.run("events", file, "--format", "jsonl")
        .out()
        .lines()
        .map(line -> line.substring(0, line.indexOf("\"fields\"")))
        .filter(line -> line.contains(own))
        .count();
  }

  @ParameterizedTest
  @CsvSource({
    "demikernel-PktMon, id, 20, 44",
    "demikernel-PktMon, id, 40, 3",
    "perfview-net452-x64, level, 4, 25848"
  })
  void aConditionOnAValueOfTheEventMeansTheMemberOfItsRow(
      String name, String member, long value, long count) {
    Path file = etl(name);
    long rows = rows(file, member, value);
    assertEquals(rows, records(file, member + " == " + value));
    assertEquals(count, rows);
  }

  @Test
  void aFieldOfTheSameNameHasItsPlaceInTheRowInFront() {
    Path file = etl("demikernel-PktMon");
    assertEquals(1, records(file, "fields.id == 20"));
    assertEquals(1, records(file, "FIELDS.Id == 20"));
    assertEquals(1, records(SHOP, "fields.version == 131082"));
    assertEquals(0, records(SHOP, "version == 131082"));
  }

  @Test
  void aNoteTellsOfFieldsOfTheSameName() {
    Path file = etl("demikernel-PktMon");
    assertEquals(NOTE.formatted("id"), Cli.run("events", file, "--where", "id == 20").err());
    assertEquals(NOTE.formatted("id"), Cli.run("events", file, "--count", "--by", "id").err());
    assertEquals(
        NOTE.formatted("ID"), Cli.run("events", file, "--where", "ID == 20 or id == 21").err());
    assertEquals(
        NOTE.formatted("id"),
        Cli.run("events", file, "--count", "--by", "cpu", "--sum", "id").err());
    assertEquals("", Cli.run("events", file, "--count", "--where", "pid > 0").err());
    assertEquals("", Cli.run("events", file, "--count", "--by", "fields.id").err());
  }

  @Test
  void groupsByAValueOfTheEventHaveNoneOfFields() {
    Path file = etl("demikernel-PktMon");
    for (JsonReader group :
        Cli.run("events", file, "--count", "--by", "id", "--format", "json")
            .json()
            .get("groups")
            .array()) {
      long id = Long.parseLong(group.get("key").text());
      assertEquals(rows(file, "id", id), group.get("count").number(), () -> "id " + id);
    }
  }

  @Test
  void aFieldWithTheNameButNoEventIsLacking() {
    Cli.Result result = Cli.run("events", SHOP, "--count", "--where", "fields.opcode == 1");
    assertTrue(result.err().contains("has a field fields.opcode"), result.err());
  }
}
