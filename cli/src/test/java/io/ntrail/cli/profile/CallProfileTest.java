package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles of call recordings. */
class CallProfileTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = folder.resolve("shop.ntr");
    Files.write(file, SampleTrace.make());
  }

  private Cli.Result run(Object... more) {
    Cli.Result result =
        Cli.run(Stream.concat(Stream.of("profile", file), Stream.of(more)).toArray());
    assertEquals(0, result.exit(), result.err());
    boolean isRows = Stream.of("csv", "jsonl", "collapsed").anyMatch(List.of(more)::contains);
    assertEquals(
        isRows
            ? "warning: "
                + file
                + ": 3 records lost; 1 missing record made up for; 1 call open at the end, not"
                + " included: how long they took is not known\n"
            : "",
        result.err());
    return result;
  }

  private String screen(Object... more) {
    return run(more).out().replace(folder + "/", "");
  }

  @Test
  void routinesByTheirOwnTime() {
    assertEquals(
        """
        shop.ntr: all threads: 15.745 ms in recorded calls, 1 open at the end,\
         3 records lost, 1 repaired
         self us      %  incl. us     %  function
        10,978.0   69.7  14,115.0  89.6  shopcore.dll!Key::Parse
         2,014.0   12.8   2,014.0  12.8  shopcore.dll!Hook::Called
         2,753.0   17.5                  4 more (-n 0 shows all)
        15,745.0  100.0                  total
        """,
        screen("-n", "2"));
  }

  @Test
  void pathsOfAThreadFromItsProcessDown() {
    assertEquals(
        """
        shop.ntr: process shopd, thread main: 15.280 ms in recorded calls, 0 open at the end,\
         3 records lost, 0 repaired
        incl. us      %      self  call tree (top-down, branches under 5.0 % omitted)
        15,280.0  100.0       0.0  shopd.exe (4312)
        15,280.0  100.0     498.0  \\- kernelbase.dll!RegOpenKeyExInternalW
        14,115.0   92.4  10,978.0     shopcore.dll!Key::Parse
         2,179.0   14.3     900.0     shopcore.dll!0x10b0
         1,279.0    8.4   1,279.0     shopcore.dll!Hook::Called
                                   5 more lines (--min 0 shows all)
        15,280.0  100.0            total
        """,
        screen("-p", "shopd", "-t", "main", "--tree", "--min", "5%", "--ascii"));
  }

  @Test
  void callsThatLieInATimeInPartCountInPart() {
    assertEquals(
        """
        shop.ntr: all threads, 0.004000 .. 0.004200 s: 200.000 us in recorded calls, 1 open at the end,\
         3 records lost, 1 repaired
        incl. us      %  self  call tree (top-down)
           200.0  100.0   0.0  shopd.exe (4312)
           200.0  100.0  68.0  └─ kernelbase.dll!RegOpenKeyExInternalW
            92.0   46.0  20.0     ├─ shopcore.dll!Access::Create
            72.0   36.0  72.0     │  └─ shopcore.dll!0x10b0
            40.0   20.0  40.0     └─ shopcore.dll!Tx::Current
           200.0  100.0        total
        """,
        screen("--time", "4ms..4200us", "--tree"));
  }

  @Test
  void timesThatFollowEachOtherAddUpToTheWhole() {
    Map<String, Long> whole = selfByFunction("..");
    Map<String, Long> parts = new HashMap<>();
    for (String part : List.of("..4ms", "4ms..4200us", "4200us..6906us", "6906us..")) {
      selfByFunction(part).forEach((name, self) -> parts.merge(name, self, Long::sum));
    }
    assertEquals(whole, parts);
  }

  private Map<String, Long> selfByFunction(String time) {
    JsonReader profile = run("--time", time, "--format", "json").json();
    Map<String, Long> self = new HashMap<>();
    long sum = 0;
    for (JsonReader row : profile.get("rows").array()) {
      sum += row.get("self").number();
      self.merge(row.get("function").text(), row.get("self").number(), Long::sum);
    }
    assertEquals(profile.get("total").number(), sum);
    self.values().removeIf(value -> value == 0);
    return self;
  }

  @Test
  void everyFormatHasTheSameContent() throws IOException {
    JsonSchema schema = JsonSchema.named("profile");
    JsonReader flat = run("--format", "json", "-p", "4312").json();
    assertEquals(List.of(), schema.definition("calls").findings(flat));
    assertEquals(3, flat.get("lost").get("events").number());
    assertEquals(1, flat.get("open").number());
    assertEquals(1, flat.get("repaired").number());
    assertEquals(
        "shopd.exe", flat.get("scope").get("process").array().getFirst().get("name").text());
    JsonReader tree = run("--tree", "--format", "json", "--time", "0..1").json();
    assertEquals(List.of(), schema.definition("callsTree").findings(tree));
    assertEquals(1_000_000_000, tree.get("scope").get("toNanos").number());

    assertEquals(
        flat.get("rows").array(),
        run("--format", "jsonl").lines().stream().map(JsonReader::parse).toList());
    assertEquals(
        tree.get("nodes").array(),
        run("--tree", "--format", "jsonl").lines().stream().map(JsonReader::parse).toList());
    assertEquals(1 + flat.get("rows").array().size(), run("--format", "csv").lines().size());
    assertEquals(
        "id,parent,text,self,inclusive", run("--tree", "--format", "csv").lines().getFirst());
    long folded =
        run("--format", "collapsed").lines().stream()
            .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
            .sum();
    assertEquals(flat.get("total").number(), folded);
    assertEquals(
        flat.get("total").number(),
        tree.get("nodes").array().stream()
            .filter(node -> node.get("parent").isNull())
            .mapToLong(node -> node.get("inclusive").number())
            .sum());
  }

  @Test
  void optionsOfEventsAreRefused() {
    for (List<String> words :
        List.of(
            List.of("--bottom-up"),
            List.of("--by", "module"),
            List.of("--metric", "cpu"),
            List.of("-s", "name"),
            List.of("--format", "xml"),
            List.of("--time", "2..1"),
            List.of("-e", "DiskIo/Read"))) {
      Cli.Result result =
          Cli.run(Stream.concat(Stream.of("profile", file), words.stream()).toArray());
      assertEquals(2, result.exit(), words.toString());
      assertEquals("", result.out());
    }
    assertEquals(
        List.of(),
        Cli.run("profile", file, "--time", "100..200", "--format", "json")
            .json()
            .get("rows")
            .array());
    Cli.Result none = Cli.run("profile", file, "-t", "77");
    assertEquals(1, none.exit());
    assertTrue(none.err().contains("no thread of "), none.err());
    assertEquals(3, Cli.run("profile", file, "--strict").exit(), "losses");
  }
}
