package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists and structures among the fields of events. */
class StructuredFieldsTest {
  private Path lists = Path.of("");

  @BeforeEach
  void files() {
    assumeTrue(TestData.available(), TestData.MISSING);
    lists = TestData.file("etl/etwanalyzer-TraceLoggingTester.etl.gz");
  }

  private static Result probe(String program, Path recording) {
    return Cli.run("probe", "#pragma D option quiet\n" + program, recording);
  }

  @Test
  void elementsOfAListAreThoseThatTheProgramWrote() {
    // The README beside the recording: WriteIntList [1,2,3,4]; its first number counts the rounds.
    Result result =
        probe(
            "etw:::WriteIntList { i = 3; printf(\"%d %d %d %d of %d\\n\", args[0]->numbers[0],"
                + " args[0]->numbers[1], args[0]->numbers[i - 1], args[0]->Numbers[i],"
                + " args[0]->numbers_count); }",
            lists);
    assertEquals("", result.err());
    List<String> rounds = IntStream.range(0, 10).mapToObj(i -> i + " 2 3 4 of 4").toList();
    assertEquals(rounds, result.out().strip().lines().toList());
  }

  @Test
  void anElementBeyondTheEndIsAFault() {
    for (String index : List.of("4", "-1", "1000000000000")) {
      Result result =
          probe("etw:::WriteIntList { trace(args[0]->numbers[" + index + "]); }", lists);
      assertTrue(result.err().contains("illegal operation in action #1"), result.err());
      assertEquals("", result.out().strip());
    }
  }

  @Test
  void aListIsNoValueByItself() {
    Result result = probe("etw:::WriteIntList { trace(args[0]->numbers); }", lists);
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("one of its elements is needed here: [0]"), result.err());
  }

  @Test
  void membersOfStructuresAreThoseThatEventsPrints() {
    String expected =
        Cli.run("events", lists, "-e", "SystemConfig/NumaNode", "--format", "jsonl")
            .out()
            .lines()
            .map(line -> JsonReader.parse(line).get("fields"))
            .map(fields ->
                "%d %s %d"
                    .formatted(
                        fields.get("Nodes").array().size(),
                        fields.get("Nodes").array().getFirst().get("Affinity").text(),
                        fields.get("Nodes").array().getFirst().get("Group").number()))
            .collect(Collectors.joining("\n"));
    assertFalse(expected.isEmpty());
    Result result =
        probe(
            "kernel::SystemConfig:NumaNode { printf(\"%d 0x%x %d\\n\", args[0]->Nodes_count,"
                + " args[0]->Nodes[0].Affinity, args[0]->Nodes[0].Group); }",
            lists);
    assertEquals("", result.err());
    assertEquals(expected, result.out().strip());
  }

  @Test
  void theListOfProbesHasTheirTypes() {
    String list = Cli.run("probe", "-l", "-v", lists).out();
    assertTrue(list.contains("args[0]->Nodes[].Affinity: uint64_t"), list);
    assertTrue(list.contains("args[0]->Nodes_count: uint32_t"), list);
  }
}
