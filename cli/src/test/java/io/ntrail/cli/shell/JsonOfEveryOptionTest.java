package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SamplePt;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every JSON has a schema, which is the one that its name says, and fits it whatever the options
 * are: nothing is missing, and nothing is there of which the schema does not tell. The calls are
 * those of json-options.txt, in which {@link JsonOptionsTest} finds every option.
 */
class JsonOfEveryOptionTest {
  private static final Path ROOT = TestData.projectRoot();

  private static final String TMF =
      """
      // PDB: shop.pdb
      6b0b9d5c-21f4-4b1e-8f61-9d5c21f44b1e shop // SRC=shop.c MJ= MN=
      #typev shop_c10 10 "%0Started" //   LEVEL=4
      {
      }
      """;

  @TempDir private Path folder;

  @BeforeEach
  void writeFiles() throws IOException {
    Files.write(folder.resolve("flow.pt"), SamplePt.loop());
    Files.write(folder.resolve("loop.bin"), SamplePt.code());
    byte[] ring = Arrays.copyOf(SamplePt.loop(), 4096);
    int end = SamplePt.loop().length;
    Files.write(
        folder.resolve("threads.ipt"),
        ProcessorTraceEvents.file(
            ProcessorTraceEvents.thread(4008, 0, 0, 0, end, ring),
            ProcessorTraceEvents.thread(4012, 0, 0, 0, end, ring)));
    Files.writeString(folder.resolve("shop.tmf"), TMF);
  }

  static List<String> calls() {
    return JsonOptions.calls();
  }

  @ParameterizedTest
  @MethodSource("calls")
  void objectAndLinesFitTheirSchema(String call) throws IOException {
    JsonReader json = run(call, "json").json();
    assertTrue(json.has("schema"), "no schema");
    String name = json.get("schema").text();
    assertEquals(List.of(), JsonOptions.schema(name).strictFindings(json));
    if (!call.startsWith("json ")) {
      linesFit(JsonOptions.partsOfLines(name), run(call, "jsonl").lines());
    }
  }

  private static void linesFit(List<JsonSchema> parts, List<String> lines) {
    assertFalse(parts.isEmpty(), "JsonOptions does not say what the lines are");
    for (String line : lines) {
      JsonReader row = JsonReader.parse(line);
      List<String> nearest =
          parts.stream()
              .map(part -> part.strictFindings(row))
              .min(Comparator.comparingInt(List::size))
              .orElseThrow();
      assertEquals(List.of(), nearest, line);
    }
  }

  private Cli.Result run(String call, String format) throws IOException {
    List<Object> words = new ArrayList<>();
    int exit = 0;
    for (String word : call.split(" ", -1)) {
      if (words.isEmpty() && word.matches("[0-9]")) {
        exit = Integer.parseInt(word);
      } else if (!words.isEmpty() || !word.equals("json")) {
        words.add(word(word));
      }
    }
    words.addAll(List.of("--format", format, "-q"));
    Cli.Result result = Cli.run(words.toArray());
    assertEquals(exit, result.exit(), result.err());
    return result;
  }

  private Object word(String word) throws IOException {
    if (word.startsWith("data:")) {
      assumeTrue(TestData.available(), TestData.MISSING);
      return Arrays.stream(word.split(",", -1))
          .map(file -> TestData.file(file.substring("data:".length())).toString())
          .collect(Collectors.joining(","));
    }
    return switch (word) {
      case "{ipt}" -> folder.resolve("threads.ipt");
      case "{pt}" -> folder.resolve("flow.pt");
      case "{tmf}" -> folder.resolve("shop.tmf");
      case "{code}" -> folder.resolve("loop.bin") + "@0x401000";
      case "{out}" -> Files.createTempDirectory(folder, "out").resolve("out");
      default -> word.matches("samples/[a-z.]*(@0x[0-9a-f]+)?") ? ROOT.resolve(word) : word;
    };
  }
}
