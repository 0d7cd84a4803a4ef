package io.ntrail.cli.library;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Schemas have no holes: wherever a value may be, they say what it is. */
class SchemaShapesTest {
  private static final Set<String> SHAPES = Set.of("type", "$ref", "const", "enum", "oneOf");

  static List<String> schemas() throws IOException {
    try (Stream<Path> files = Files.list(TestData.projectRoot().resolve("docs/schema"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void everyValueHasAShape(String file) throws IOException {
    Path schema = TestData.projectRoot().resolve("docs/schema").resolve(file);
    JsonReader root = JsonReader.parse(Files.readString(schema));
    List<String> holes = new ArrayList<>();
    for (String note : List.of("$schema", "title", "description")) {
      if (!root.has(note)) {
        holes.add("no " + note);
      }
    }
    look(root, "$", holes);
    assertEquals(List.of(), holes);
  }

  private static void look(JsonReader rule, String at, List<String> holes) {
    if (rule.value() instanceof Boolean allowed) {
      if (allowed) {
        holes.add(at + " may be anything");
      }
      return;
    }
    Set<String> keywords = rule.object().keySet();
    if (keywords.stream().noneMatch(SHAPES::contains)) {
      holes.add(at + " has no type");
    }
    boolean isOpen = rule.has("properties") || rule.has("additionalProperties");
    if (is(rule, "object") && !isOpen) {
      holes.add(at + " is an object of anything");
    }
    if (is(rule, "array") && !rule.has("items")) {
      holes.add(at + " is an array of anything");
    }
    if (rule.has("required") && !rule.has("additionalProperties")) {
      for (JsonReader key : rule.get("required").array()) {
        if (!rule.has("properties") || !rule.get("properties").has(key.text())) {
          holes.add(at + " requires " + key.text() + " and does not tell of it");
        }
      }
    }
    for (String members : List.of("properties", "$defs")) {
      if (rule.has(members)) {
        rule.get(members).object().forEach((name, member) -> look(member, at + "." + name, holes));
      }
    }
    for (String inner : List.of("items", "additionalProperties")) {
      if (rule.has(inner)) {
        look(rule.get(inner), at + " " + inner, holes);
      }
    }
    if (rule.has("oneOf")) {
      rule.get("oneOf").array().forEach(one -> look(one, at + " oneOf", holes));
    }
  }

  private static boolean is(JsonReader rule, String type) {
    if (!rule.has("type")) {
      return false;
    }
    JsonReader types = rule.get("type");
    return types.value() instanceof List<?>
        ? types.array().stream().anyMatch(one -> one.text().equals(type))
        : types.text().equals(type);
  }
}
