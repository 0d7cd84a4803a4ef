package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Warnings of {@code ntrail events}, and hostile recordings. */
class EventsTest {
  private static final UUID PROVIDER = UUID.fromString("5b0a3b7e-1c1b-4c0e-9a51-6f4f0e6a7b10");

  @TempDir private Path folder;

  private Path sample() throws IOException {
    return Recordings.write(folder.resolve("shop.etl"), SampleRecording.make());
  }

  private static List<String> said(Object... words) {
    Cli.Result result = Cli.run(words);
    assertEquals(0, result.exit());
    return result.messages();
  }

  @Test
  void fieldsInCsvAreThoseOfJsonLines() throws IOException {
    Path file = sample();
    List<String> objects = Cli.run("events", file, "--format", "jsonl").lines();
    List<String> rows = Cli.run("events", file, "--format", "csv").lines();
    assertEquals(objects.size() + 1, rows.size());
    for (int i = 0; i < objects.size(); i++) {
      String object = objects.get(i);
      int begin = object.indexOf("\"fields\":{") + "\"fields\":".length();
      String row = rows.get(i + 1);
      String cell = row.substring(row.indexOf('{'), row.lastIndexOf('}') + 1);
      String fields = cell.replace("\"\"", "\"");
      assertEquals(fields, object.substring(begin, begin + fields.length()));
    }
  }

  @Test
  void namesInAConditionThatNoEventHasAreSaid() throws IOException {
    Path file = sample();
    assertEquals(
        List.of("warning: no event belongs to a process shopdd.exe", "try: -p shopd.exe"),
        said("events", file, "--count", "--where", "process == shopdd.exe"));
    assertEquals(
        "warning: no event belongs to a process shop*",
        said("events", file, "--count", "--where", "process == 'shop*'").getFirst());
    assertEquals(
        List.of("warning: no event matches PerfInfo/SampelProf", "try: -e PerfInfo/SampleProf"),
        said("events", file, "--count", "--where", "event == PerfInfo/SampelProf and pid > 0"));
    for (String condition :
        List.of(
            "process == shopd.exe",
            "event =~ 'PerfInfo/*' or pid == 4",
            "not process == nosuch",
            "event != Nosuch")) {
      assertEquals(List.of(), said("events", file, "--count", "--where", condition), condition);
    }
  }

  @Test
  void wordsThatFitNothing() throws IOException {
    Path file = sample();
    assertEquals(
        List.of("warning: no event matches FielIo/*", "try: -e 'FileIo/*'"),
        said("events", file, "-e", "FielIo/*"));
    assertEquals(
        List.of(
            "warning: no event in this time range matches Quark", "try: --count lists all events"),
        said("events", file, "-e", "Quark", "--time", "0.1.."));
    assertEquals(
        List.of("warning: no event belongs to a process shopdd", "try: -p shopd"),
        said("events", file, "-p", "shopdd"));
    assertEquals(
        List.of("warning: none of the selected events belongs to a thread 99"),
        said("events", file, "-p", "shopd", "-t", "99", "--format", "jsonl"));
    assertEquals(
        List.of("warning: no event has a field TransferSise", "try: TransferSize"),
        said("events", file, "--where", "TransferSise > 0 or pid == 4", "--count"));
    assertEquals(
        List.of("warning: no event has a field proces", "try: process"),
        said("events", file, "--count", "--by", "proces"));
    assertEquals(
        List.of(
            "warning: the field TimeZoneInformation is an array or structure: compare a member"
                + " instead"),
        said("events", file, "--where", "TimeZoneInformation == 3", "-n", "0"));
    // One of two alternatives is enough for an answer, but not for being right.
    assertEquals(
        List.of("warning: no event matches FileIo/Raed", "try: -e FileIo/Read"),
        said("events", file, "-e", "FileIo/Write", "-e", "FileIo/Raed"));
    assertEquals(
        List.of("warning: no event ran on CPU 70-72,80"),
        said("events", file, "--cpu", "0,70-72,80"));
  }

  @Test
  void wordsThatFit() throws IOException {
    Path file = sample();
    for (String where :
        List.of(
            "transfersize > 1MiB",
            "FileName =~ /nowhere/",
            "TimeZoneInformation.Bias == 77",
            "StatusText == 'no such'",
            "pid == 123456")) {
      assertEquals(List.of(), said("events", file, "--where", where), where);
    }
    // The first events do not show what the others have.
    assertEquals(
        List.of(),
        said("events", file, "--where", "pid >= 0 or Order == 1", "-n", "1", "--format", "jsonl"));
  }

  @Test
  void textsBesideValuesHaveTheNamesThatAreShown() throws IOException {
    Path file = sample();
    String where = "FileName =~ '*stock.db'";
    Cli.Result reads =
        Cli.run("events", file, "-e", "DiskIo/Read", "--where", where, "--format", "jsonl");
    assertTrue(!reads.lines().isEmpty());
    for (String line : reads.lines()) {
      assertTrue(
          JsonReader.parse(line).get("fields").get("FileName").text().endsWith("stock.db"), line);
    }
  }

  @Test
  void whereNamesCameFrom() throws IOException {
    Path file = sample();
    Cli.Result counted = Cli.run("events", file, "--count", "-v");
    List<String> sources = counted.messages().subList(0, counted.messages().size() - 1);
    assertEquals("types  records      %  schema source", sources.getFirst());
    for (String source :
        List.of(
            "built-in kernel table",
            "EventMetadata in the recording",
            "EventSource manifest in the recording",
            "TraceLogging, in the event")) {
      assertTrue(sources.stream().anyMatch(line -> line.endsWith("  " + source)), source);
    }
    long records = 0;
    for (String line : sources.subList(1, sources.size() - 1)) {
      records += Long.parseLong(cell(line, 1).replace(",", ""));
    }
    String total = cell(sources.getLast(), 1).replace(",", "");
    assertEquals(total, Long.toString(records));
    // The same whatever way the events were gone through.
    for (Object[] words :
        List.of(
            new Object[] {"events", file, "-n", "3", "-v"},
            new Object[] {"events", file, "-n", "0", "-v"},
            new Object[] {"events", file, "--time", "-1..", "-v"},
            new Object[] {"events", file, "--count", "--time", "-1..", "-v"},
            new Object[] {"events", file, "--count", "--by", "cpu", "-v"},
            new Object[] {"events", file, "--format", "jsonl", "-v"})) {
      List<String> messages = Cli.run(words).messages();
      assertEquals(sources, messages.subList(0, messages.size() - 1), words[2].toString());
    }
  }

  private EtlWriter writer() {
    return new EtlWriter(EtlSettings.windows11());
  }

  private static EtlRecords at(EtlRecords record, int i) {
    return record.time(EtlSettings.windows11().startTicks() + 1_000L * i).thread(8, 9);
  }

  @Test
  void eventsWithoutASchemaAreCounted() throws IOException {
    EtlWriter writer = writer();
    for (int i = 0; i < 10; i++) {
      byte[] bytes = {1, 2, 3, 4};
      writer.log(0, at(EtlRecords.event(8, PROVIDER, 7).payload(bytes), i).build());
    }
    Path file = Recordings.write(folder.resolve("strange.etl"), writer);
    for (Object[] words :
        List.of(
            new Object[] {"events", file, "-n", "2"},
            new Object[] {"events", file, "-n", "0"},
            new Object[] {"events", file, "--cpu", "0"},
            new Object[] {"events", file, "--count"},
            new Object[] {"events", file, "--count", "--by", "event"})) {
      assertTrue(
          Pattern.matches(
              "10 of 1[0-9] events have no schema: raw payload with --format jsonl",
              Cli.run(words).lines().getLast()),
          words[2].toString());
    }
    assertTrue(!Cli.run("events", sample(), "--count").out().contains("no schema"));
    assertTrue(
        Cli.run("events", file, "-v").err().contains(" 10  "), "events that nothing describes");
    assertTrue(Cli.run("events", file, "-v").err().contains("  (no schema)\n"));
  }

  @Test
  void problemsWithSchemasAreReportedOnRequest() throws IOException {
    EtlWriter writer = writer();
    for (EtlRecords chunk : DescribedRecords.manifest(8, PROVIDER, "<no manifest", 1000)) {
      writer.log(0, at(chunk, 1).build());
    }
    Path file = Recordings.write(folder.resolve("broken.etl"), writer);
    assertEquals("", Cli.run("events", file).err());
    for (Object[] words :
        List.of(
            new Object[] {"events", file, "-v"},
            new Object[] {"events", file, "--count", "-v"},
            new Object[] {"events", file, "--format", "csv", "-v"})) {
      String first = Cli.run(words).messages().getFirst();
      assertTrue(first.startsWith("warning: manifest of provider " + PROVIDER + ": "), first);
    }
  }

  @Test
  void ratesAddUp() throws IOException {
    Path file = sample();
    List<String> lines = Cli.run("events", file, "--count").lines();
    assertTrue(lines.get(1).contains("  records/s  "), lines.get(1));
    double sum = 0;
    for (String line : lines.subList(2, lines.size() - 1)) {
      sum += rate(line);
    }
    double total = rate(lines.getLast());
    assertTrue(Math.abs(sum - total) < 0.06 * lines.size(), sum + " " + total);
    // Twice as many a second if there is a second of them.
    Cli.Result part = Cli.run("events", file, "--count", "--time", "0.5..0.6");
    long records = Long.parseLong(cell(part.lines().getLast(), 0).replace(",", ""));
    assertEquals(10.0 * records, rate(part.lines().getLast()), 0.06);
  }

  private static String cell(String line, int column) {
    return line.strip().split(" +", -1)[column];
  }

  private static double rate(String line) {
    return Double.parseDouble(cell(line, 2).replace(",", ""));
  }

  @Test
  void expressionsThatTakeForever() throws IOException {
    EtlWriter writer = writer();
    String name = "a".repeat(5_000) + "!";
    LittleEndian payload = KernelPayloads.fileName(1, name);
    writer.log(0, EtlRecords.system(8, 0x0400).version(2).time(1).payload(payload).build());
    Path file = Recordings.write(folder.resolve("names.etl"), writer);
    for (String expression : List.of("/(a|a|aa)*$/", "/(.*)(.*)(.*)(.*)(.*)x/", "/(a|b)*c/")) {
      Cli.Result result =
          assertTimeoutPreemptively(
              Duration.ofMinutes(2),
              () -> Cli.run("events", file, "--where", "FileName =~ " + expression));
      if (result.exit() != 0) {
        assertEquals(1, result.exit());
        assertEquals(
            "ntrail: the regular expression "
                + expression
                + " takes too long on a text of 5001 characters",
            result.messages().getFirst());
      }
    }
  }

  @Test
  void recordingsDoNotSteerTheTerminal() throws IOException {
    String evil = "evil\u001B[2J\nsecond line\u009B\u202E";
    EtlWriter writer = writer();
    TraceLoggingEvent event = new TraceLoggingEvent(evil);
    writer.log(0, at(DescribedRecords.traceLogging(8, PROVIDER, evil, event), 1).build());
    Path file = Recordings.write(folder.resolve("evil.etl"), writer);
    for (Object[] words :
        List.of(
            new Object[] {"events", file, "-n", "0"},
            new Object[] {"events", file, "--count"},
            new Object[] {"events", file, "--count", "--by", "event"},
            new Object[] {"info", file})) {
      Cli.Result result = Cli.run(words);
      assertTrue(result.out().contains("evil\uFFFD[2J\\nsecond line\uFFFD\uFFFD"), result.out());
      assertTrue(
          result.out().chars().noneMatch(c -> c < ' ' && c != '\n' || c == 0x9B || c == 0x202E));
    }
  }
}
