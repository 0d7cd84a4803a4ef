package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.RawRecord;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail cut}: what it leaves out is told, and what is there was there before. */
class CutTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");

  @TempDir private Path folder;

  private Path cut(Path file, String... selection) {
    Path out = folder.resolve("cut" + String.join("", selection).replaceAll("\\W", "") + ".etl");
    List<Object> words = new ArrayList<>(List.of("cut", file, "-o", out));
    words.addAll(List.of(selection));
    Result result = Cli.run(words.toArray());
    assertEquals(0, result.exit(), result.err());
    return out;
  }

  private static long samples(Path file) {
    return Cli.run("events", file, "--count", "-e", "SampleProf", "--format", "json")
        .json()
        .get("records")
        .number();
  }

  @Test
  void theReportSaysWhatWasLeftOut() throws IOException {
    Path out = folder.resolve("small.etl");
    Result result = Cli.run("cut", SAMPLE, "--time", "0.5..0.75", "-o", out, "--format", "json");
    assertEquals(0, result.exit(), result.err());
    JsonReader json = result.json();
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(json), result.out());
    long written = json.get("output").get("records").number();
    long left = json.get("left").get("records").number();
    long header = 3;
    assertEquals(
        Cli.run("info", SAMPLE, "--format", "json").json().get("records").number(),
        written + left + header);
    assertEquals(left, json.get("left").get("byReason").get("time").number());
    assertEquals(Files.size(out), json.get("output").get("bytes").number());
  }

  @Test
  void eachCommandSaysThatItIsACut() throws IOException {
    Path cut = cut(SAMPLE, "--time", "0.5..0.75", "-p", "shopd.exe");
    String words = "records other than --time 0.5..0.75 -p shopd.exe";
    for (String command : List.of("info", "events", "profile")) {
      Result text = Cli.run(command, cut);
      assertTrue(
          text.err().contains("a part of another recording, without ")
              && text.err().contains(words),
          command + ": " + text.err());
      JsonReader json = Cli.run(command, cut, "--format", "json").json();
      JsonReader told = json.get("omissions").array().getFirst();
      assertEquals(words, told.get("what").text(), command);
      assertTrue(told.get("records").number() > 0, command);
      assertEquals(List.of(), JsonSchema.named(command).strictFindings(json), command);
    }
    assertTrue(Cli.run("info", cut).out().contains("a part of another one"));
  }

  @Test
  void aCutOfACutTellsBoth() {
    Path cut = cut(cut(SAMPLE, "--time", "0.5..0.75"), "-p", "shopd.exe");
    JsonReader told = Cli.run("info", cut, "--format", "json").json().get("omissions");
    assertEquals(
        List.of("records other than --time 0.5..0.75", "records other than -p shopd.exe"),
        told.array().stream().map(one -> one.get("what").text()).toList());
  }

  @Test
  void oneOfTenSamplesOfEachProcessorStays() {
    Path cut = cut(SAMPLE, "--every", "10");
    long left = samples(cut);
    // With some that another record of their thread at their very time needs.
    assertTrue(left >= 1_200 && left < 1_210, () -> left + " samples");
    Result info = Cli.run("info", cut, "--format", "json");
    JsonReader told = info.json().get("omissions").array().getFirst();
    assertEquals("samples, all but one of 10 of each processor", told.get("what").text());
    assertEquals(12_000 - left, told.get("records").number());
    // All else is there.
    String others = "Thread/*";
    assertEquals(
        Cli.run("events", SAMPLE, "-e", others, "--format", "csv").out(),
        Cli.run("events", cut, "-e", others, "--format", "csv").out());
  }

  @Test
  void aSecondReaderFindsNoRecordThatWasNotThereBefore() throws IOException {
    Set<RawRecord> before = records(SAMPLE);
    for (String compression : List.of("none", "xpress")) {
      Set<RawRecord> after = records(cut(SAMPLE, "--time", "0.2..0.6", "--compress", compression));
      Set<RawRecord> ours = new HashSet<>(after);
      ours.removeAll(before);
      assertEquals(1, ours.size(), ours::toString);
      assertEquals("e147b84d-c85f-54a5-6295-fa68dbe10dc5", ours.iterator().next().provider());
      assertTrue(after.size() < before.size() && after.size() > 1);
    }
  }

  /** Returns the event and class records of a file, wherever they are in it. */
  private static Set<RawRecord> records(Path file) throws IOException {
    Set<RawRecord> records = new HashSet<>();
    RawRecord.walk(
        Files.readAllBytes(file),
        one -> {
          boolean isHeader = one.buffer() == 0;
          if (!isHeader) {
            records.add(
                new RawRecord(
                    one.classic(),
                    0,
                    0,
                    one.provider(),
                    one.id(),
                    one.version(),
                    one.opcode(),
                    one.flags(),
                    one.pid(),
                    one.tid(),
                    one.time(),
                    one.pointer(),
                    one.traits(),
                    one.schema(),
                    one.payload()));
          }
        });
    return records;
  }

  @Test
  void aSelectionThatFitsNothingIsSaid() {
    Path out = folder.resolve("none.etl");
    Result result = Cli.run("cut", SAMPLE, "-p", "shopdd.exe", "-o", out);
    assertTrue(result.err().contains("shopdd.exe"), result.err());
  }

  @Test
  void aTimeOutsideOfTheRecordingIsSaid() {
    Path target = folder.resolve("empty.etl");
    Cli.Result result = Cli.run("cut", SAMPLE, "--time", "50..60", "-o", target);
    assertEquals(
        List.of("warning: no records in this time range: the recording is 1.550200 s long"),
        result.messages());
    assertEquals(
        "", Cli.run("cut", SAMPLE, "--time", "1..60", "-o", folder.resolve("some.etl")).err());
  }

  @Test
  void aFunctionThatNoCallHasIsSaid() {
    Path calls = TestData.projectRoot().resolve("samples/shop.ntr");
    Cli.Result result = Cli.run("cut", calls, "-f", "nosuch", "-o", folder.resolve("none.ntr"));
    assertEquals(
        List.of(
            "warning: no routine called matches nosuch",
            "try: ntrail calls " + calls + " --flat -n 0 lists all"),
        result.messages());
    Cli.Result outside =
        Cli.run("cut", calls, "--time", "99..100", "-o", folder.resolve("late.ntr"));
    assertEquals(
        List.of(
            "warning: no call was entered in this time range: the first record is at 0.003911 s"),
        outside.messages());
  }

  @Test
  void theCutOfARecordingOfTicksTellsItsTimeInTicks() {
    Path ticks = TestData.projectRoot().resolve("samples/shop.jtrc");
    Path target = folder.resolve("ticks.ntr");
    assertEquals(0, Cli.run("cut", ticks, "--time", "1010000..1020000", "-o", target).exit());
    String heading = Cli.run("calls", target, "--flat").lines().getFirst();
    assertTrue(heading.contains(" records outside ticks 1010000..1020000)"), heading);
  }

  @Test
  void withoutASelectionNothingIsCut() {
    Path out = folder.resolve("all.etl");
    Result result = Cli.run("cut", SAMPLE, "-o", out);
    assertEquals(2, result.exit());
    assertFalse(Files.exists(out));
  }

  @Test
  void whatIsDamagedIsToldByTheCut() throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLE);
    Path damaged = folder.resolve("damaged.etl");
    Files.write(damaged, Arrays.copyOf(bytes, bytes.length * 2 / 3));
    Path out = folder.resolve("cut.etl");
    Result result = Cli.run("cut", damaged, "--time", "0.1..0.9", "-o", out);
    assertEquals(3, result.exit(), result.err());
    JsonReader before = Cli.run("info", damaged, "--format", "json").json().get("gaps");
    JsonReader after = Cli.run("info", out, "--format", "json").json().get("gaps");
    assertEquals(before, after);
  }

  @Test
  void noNameOfTheMachineOrItsUsersIsLeftInAnAnonymousRecording() throws IOException {
    Path out = folder.resolve("ours.etl");
    Result result = Cli.run("cut", SAMPLE, "--anonymise", "--compress", "none", "-o", out);
    assertEquals(0, result.exit(), result.err());
    String machine =
        Cli.run("info", SAMPLE, "--format", "json")
            .json()
            .get("machine")
            .get("computerName")
            .text();
    byte[] bytes = Files.readAllBytes(out);
    for (Charset encoding :
        List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE, StandardCharsets.UTF_8)) {
      assertEquals(-1, indexOf(bytes, machine.getBytes(encoding)), encoding::name);
    }
    JsonReader told = Cli.run("info", out, "--format", "json").json();
    assertEquals(machine.length(), told.get("machine").get("computerName").text().length());
    // Where the time went is no secret.
    List<String> question = List.of("--format", "json", "-n", "0");
    assertEquals(total(SAMPLE, question), total(out, question));
  }

  private static String total(Path file, List<String> options) {
    List<Object> words = new ArrayList<>(List.of("profile", file));
    words.addAll(options);
    JsonReader json = Cli.run(words.toArray()).json();
    return json.get("total").number() + " " + json.get("idle").number() + " " + json.get("rows");
  }

  private static int indexOf(byte[] all, byte[] part) {
    for (int at = 0; at + part.length <= all.length; at++) {
      if (Arrays.equals(all, at, at + part.length, part, 0, part.length)) {
        return at;
      }
    }
    return -1;
  }

  @Test
  void callsAreCutByFunction() throws IOException {
    Path whole = TestData.projectRoot().resolve("samples/shop.ntr");
    Path out = folder.resolve("small.ntr");
    String rows = Cli.run("calls", whole, "--flat", "--format", "json").out();
    String function =
        JsonReader.parse(rows).get("functions").array().getLast().get("function").text();
    Result result = Cli.run("cut", whole, "-f", function, "-o", out, "--format", "json");
    assertEquals(0, result.exit(), result.err());
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(result.json()), result.out());
    assertTrue(result.json().get("left").get("byReason").get("function").number() > 0);
    assertTrue(Files.size(out) < Files.size(whole));
    assertTrue(Cli.run("calls", out).err().contains("a part of another recording"));
  }

  @Test
  void optionsOfEventsAreRefusedForCalls() {
    Path whole = TestData.projectRoot().resolve("samples/shop.ntr");
    Path out = folder.resolve("no.ntr");
    assertEquals(2, Cli.run("cut", whole, "-e", "*", "-o", out).exit());
    assertEquals(2, Cli.run("cut", SAMPLE, "-f", "*", "-o", out).exit());
    assertFalse(Files.exists(out));
  }

  @Test
  void eachEventIsInOnePartOfASplitRecording() throws IOException {
    for (String limit : List.of("400ms", "300K")) {
      Path out = folder.resolve("part" + limit + ".etl");
      Result result = Cli.run("cut", SAMPLE, "--split", limit, "-o", out, "--format", "json");
      assertEquals(0, result.exit(), result.err());
      assertEquals(List.of(), JsonSchema.named("write").strictFindings(result.json()));
      List<JsonReader> parts = result.json().get("parts").array();
      assertTrue(parts.size() > 2, result.out());
      StringBuilder joined = new StringBuilder();
      for (JsonReader part : parts) {
        String from = part.get("fromNanos").isNull() ? "" : part.get("fromNanos").number() + "ns";
        String to = part.get("toNanos").isNull() ? "" : part.get("toNanos").number() + "ns";
        joined.append(events(Path.of(part.get("path").text()), from + ".." + to));
      }
      assertEquals(events(SAMPLE, ".."), joined.toString());
      assertFalse(Files.exists(out));
    }
  }

  private static String events(Path file, String time) {
    return Cli.run("events", file, "--time", time, "--stacks", "--format", "jsonl")
        .out()
        .lines()
        .filter(line -> !line.contains("EventTrace/Header") && !line.contains("ntrail\",\"event\""))
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
