package io.ntrail.cli.shell;

import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Calls that have every option which can change JSON, and what their lines are. */
final class JsonOptions {
  /** Parts of schemas that lines are; "" is the whole. */
  private static final Map<String, List<String>> LINES =
      Map.ofEntries(
          Map.entry("ntrail.calls-flat/1", List.of("function")),
          Map.entry("ntrail.calls-histogram/1", List.of("line")),
          Map.entry("ntrail.calls/1", List.of("call")),
          Map.entry("ntrail.decode/1", List.of("instruction")),
          Map.entry("ntrail.diff/1", List.of("row")),
          Map.entry("ntrail.event-counts/1", List.of("row")),
          Map.entry("ntrail.event-groups/1", List.of("group")),
          Map.entry("ntrail.events/1", List.of("event")),
          Map.entry("ntrail.frames/1", List.of("address")),
          Map.entry(
              "ntrail.image/1",
              List.of(
                  "section",
                  "export",
                  "import",
                  "header",
                  "relocation",
                  "resource",
                  "function",
                  "service",
                  "instruction")),
          Map.entry("ntrail.images/1", List.of("imageRow")),
          Map.entry("ntrail.info/1", List.of("file", "callsFile", "dumpFile", "programFile")),
          Map.entry("ntrail.list/1", List.of("process", "thread", "image", "method", "session")),
          Map.entry("ntrail.pdb/1", List.of("")),
          Map.entry("ntrail.profile/1", List.of("row")),
          Map.entry("ntrail.profile-tree/1", List.of("node")),
          Map.entry("ntrail.profile-callers/1", List.of("neighbour")),
          Map.entry("ntrail.profile-zoom/1", List.of("hits")),
          Map.entry("ntrail.pt-before/1", List.of("event")),
          Map.entry("ntrail.pt-flow/1", List.of("counts", "row", "call", "function")),
          Map.entry("ntrail.pt-packets/1", List.of("packet", "typeCount")),
          Map.entry("ntrail.stack-groups/1", List.of("group")),
          Map.entry("ntrail.stacks/1", List.of("row", "group")),
          Map.entry("ntrail.symbol-list/1", List.of("symbol", "line")),
          Map.entry("ntrail.symbols/1", List.of("module")),
          Map.entry("ntrail.undecorated/1", List.of("name")));

  private JsonOptions() {}

  /** Returns the calls, each in one line. */
  static List<String> calls() {
    try (InputStream in =
        Objects.requireNonNull(JsonOptions.class.getResourceAsStream("json-options.txt"))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the schema whose documents have a name. */
  static JsonSchema schema(String name) throws IOException {
    String constant = "\"const\": \"" + name + "\"";
    List<Path> files;
    try (Stream<Path> all = Files.list(TestData.projectRoot().resolve("docs/schema"))) {
      files = all.sorted().toList();
    }
    for (Path file : files) {
      if (Files.readString(file).contains(constant)) {
        return JsonSchema.named(file.getFileName().toString().replace(".schema.json", ""));
      }
    }
    throw new AssertionError("no schema of " + name + " in docs/schema");
  }

  /** Returns what lines of documents of a name may be. */
  static List<JsonSchema> partsOfLines(String name) throws IOException {
    JsonSchema whole = schema(name);
    List<JsonSchema> parts = new ArrayList<>();
    for (String part : LINES.getOrDefault(name, List.of())) {
      parts.add(part.isEmpty() ? whole : whole.definition(part));
    }
    return parts;
  }
}
