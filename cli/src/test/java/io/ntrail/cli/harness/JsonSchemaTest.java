package io.ntrail.cli.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The tests' validator says no where it has to. */
class JsonSchemaTest {
  private static final String SCHEMA =
      """
      {"type": "object", "required": ["n", "t"],
       "properties": {
         "n": {"type": "integer", "minimum": 1, "maximum": 9},
         "t": {"$ref": "#/$defs/t"},
         "e": {"enum": ["a", "b"]},
         "l": {"type": "array", "minItems": 1, "items": {"type": ["string", "null"]}},
         "o": {"type": "object", "propertyNames": {"pattern": "^x"},
               "properties": {"xx": true}, "additionalProperties": false}},
       "$defs": {"t": {"type": "string", "pattern": "^[0-9]+$", "minLength": 2}}}
      """;

  private static List<String> findings(String json) {
    return JsonSchema.of(SCHEMA).findings(JsonReader.parse(json));
  }

  @Test
  void whatIsRight() {
    assertEquals(List.of(), findings("{\"n\": 1, \"t\": \"12\"}"));
    assertEquals(
        List.of(),
        findings(
            "{\"n\":9,\"t\":\"12\",\"e\":\"b\",\"l\":[\"\",null],\"o\":{\"xx\":1},\"new\":{}}"));
  }

  @Test
  void everyKeywordCanFail() {
    for (String wrong :
        List.of(
            "[]",
            "{\"n\": 1}",
            "{\"n\": 1.5, \"t\": \"12\"}",
            "{\"n\": \"1\", \"t\": \"12\"}",
            "{\"n\": 0, \"t\": \"12\"}",
            "{\"n\": 10, \"t\": \"12\"}",
            "{\"n\": 1, \"t\": \"x1\"}",
            "{\"n\": 1, \"t\": \"1\"}",
            "{\"n\": 1, \"t\": null}",
            "{\"n\": 1, \"t\": \"12\", \"e\": \"c\"}",
            "{\"n\": 1, \"t\": \"12\", \"l\": []}",
            "{\"n\": 1, \"t\": \"12\", \"l\": [1]}",
            "{\"n\": 1, \"t\": \"12\", \"o\": {\"xx\": 1, \"xy\": 2}}",
            "{\"n\": 1, \"t\": \"12\", \"o\": {\"y\": 2}}")) {
      assertEquals(false, findings(wrong).isEmpty(), wrong);
    }
  }

  @Test
  void ofOneOfExactlyOneHolds() {
    JsonSchema schema =
        JsonSchema.of(
            "{\"oneOf\": [{\"type\": \"integer\"}, {\"type\": \"string\"}, {\"minimum\": 5}]}");
    assertEquals(List.of(), schema.findings(JsonReader.parse("3")));
    assertEquals(false, schema.findings(JsonReader.parse("7")).isEmpty());
    assertEquals(
        false,
        JsonSchema.of("{\"oneOf\": [{\"type\": \"string\"}]}")
            .findings(JsonReader.parse("3"))
            .isEmpty());
  }

  @Test
  void unknownKeywordsAreNotRules() {
    assertThrows(
        IllegalArgumentException.class,
        () -> JsonSchema.of("{\"uniqueItems\": true}").findings(JsonReader.parse("[]")));
  }

  @Test
  void keysThatAreThereTwice() {
    assertThrows(RuntimeException.class, () -> JsonReader.parse("{\"a\": 1, \"a\": 2}"));
    assertThrows(RuntimeException.class, () -> JsonReader.parse("{} {}"));
  }
}
