package io.ntrail.cli.harness;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The part of JSON Schema 2020-12 that the project's schemas use. A keyword that it does not know
 * is an error, so that no rule is silently left out.
 */
public final class JsonSchema {
  private static final Set<String> NOTES = Set.of("$schema", "$defs", "title", "description");

  private final JsonReader root;
  private final JsonReader schema;

  private JsonSchema(JsonReader root, JsonReader schema) {
    this.root = root;
    this.schema = schema;
  }

  static JsonSchema of(String text) {
    JsonReader root = JsonReader.parse(text);
    return new JsonSchema(root, root);
  }

  /** One of docs/schema. */
  public static JsonSchema named(String name) throws IOException {
    Path folder = TestData.projectRoot().resolve("docs/schema");
    return of(Files.readString(folder.resolve(name + ".schema.json")));
  }

  /** One of its definitions. */
  public JsonSchema definition(String name) {
    return new JsonSchema(root, root.get("$defs").get(name));
  }

  /** Returns the violations of a value, each with its place. */
  public List<String> findings(JsonReader value) {
    List<String> findings = new ArrayList<>();
    check(schema, value, "$", findings);
    return findings;
  }

  /**
   * Returns the violations of a value, and its places of which the schema does not say what is
   * there. Schemas let keys be added that they do not tell of; whoever adds one has to tell.
   */
  public List<String> strictFindings(JsonReader value) {
    List<String> findings = findings(value);
    if (findings.isEmpty()) {
      Set<String> described = new HashSet<>();
      describe(schema, value, "$", described);
      untold(value, "$", described, findings);
    }
    return findings;
  }

  /** Notes the places in a value that fits a rule of which the rule says what is there. */
  private void describe(JsonReader rule, JsonReader value, String at, Set<String> described) {
    if (!(rule.value() instanceof Map<?, ?>)) {
      return;
    }
    if (rule.has("type") || rule.has("const") || rule.has("enum")) {
      described.add(at);
    }
    if (rule.has("$ref")) {
      describe(resolve(rule.get("$ref").text()), value, at, described);
    }
    if (rule.has("oneOf")) {
      for (JsonReader one : rule.get("oneOf").array()) {
        List<String> wrong = new ArrayList<>();
        check(one, value, at, wrong);
        if (wrong.isEmpty()) {
          describe(one, value, at, described);
        }
      }
    }
    if (value.value() instanceof List<?> && rule.has("items")) {
      List<JsonReader> items = value.array();
      for (int i = 0; i < items.size(); i++) {
        describe(rule.get("items"), items.get(i), at + "[" + i + "]", described);
      }
    }
    if (value.value() instanceof Map<?, ?>) {
      Map<String, JsonReader> told =
          rule.has("properties") ? rule.get("properties").object() : Map.of();
      for (Map.Entry<String, JsonReader> member : value.object().entrySet()) {
        JsonReader own = told.get(member.getKey());
        if (own == null && rule.has("additionalProperties")) {
          own = rule.get("additionalProperties");
        }
        if (own != null) {
          describe(own, member.getValue(), at + "." + member.getKey(), described);
        }
      }
    }
  }

  private static void untold(
      JsonReader value, String at, Set<String> described, List<String> findings) {
    if (!described.contains(at)) {
      findings.add(at + " is not told of");
    } else if (value.value() instanceof Map<?, ?>) {
      value.object().forEach((key, member) -> untold(member, at + "." + key, described, findings));
    } else if (value.value() instanceof List<?>) {
      List<JsonReader> items = value.array();
      for (int i = 0; i < items.size(); i++) {
        untold(items.get(i), at + "[" + i + "]", described, findings);
      }
    }
  }

  private void check(JsonReader rule, JsonReader value, String at, List<String> findings) {
    if (rule.value() instanceof Boolean allowed) {
      if (!allowed) {
        findings.add(at + " may not be there");
      }
      return;
    }
    for (Map.Entry<String, JsonReader> keyword : rule.object().entrySet()) {
      if (!NOTES.contains(keyword.getKey())) {
        check(rule, keyword.getKey(), keyword.getValue(), value, at, findings);
      }
    }
  }

  private void check(
      JsonReader rule,
      String keyword,
      JsonReader told,
      JsonReader value,
      String at,
      List<String> findings) {
    Object found = value.value();
    boolean right = true;
    switch (keyword) {
      case "$ref" -> check(resolve(told.text()), value, at, findings);
      case "oneOf" -> oneOf(told.array(), value, at, findings);
      case "type" -> right = hasType(told, value);
      case "const" -> right = same(told, value);
      case "enum" -> right = told.array().stream().anyMatch(one -> same(one, value));
      case "minimum" -> right = !(found instanceof BigDecimal n) || n.compareTo(decimal(told)) >= 0;
      case "maximum" -> right = !(found instanceof BigDecimal n) || n.compareTo(decimal(told)) <= 0;
      case "pattern" ->
          right = !(found instanceof String s) || Pattern.compile(told.text()).matcher(s).find();
      case "minLength" ->
          right = !(found instanceof String s) || s.codePointCount(0, s.length()) >= told.number();
      case "minItems" -> right = !(found instanceof List<?> list) || list.size() >= told.number();
      case "items" -> {
        if (found instanceof List<?>) {
          List<JsonReader> items = value.array();
          for (int i = 0; i < items.size(); i++) {
            check(told, items.get(i), at + "[" + i + "]", findings);
          }
        }
      }
      case "required" -> {
        if (found instanceof Map<?, ?> object) {
          for (JsonReader key : told.array()) {
            if (!object.containsKey(key.text())) {
              findings.add(at + " lacks " + key.text());
            }
          }
        }
      }
      case "properties" -> {
        if (found instanceof Map<?, ?>) {
          told.object()
              .forEach((key, member) -> {
                if (value.has(key)) {
                  check(member, value.get(key), at + "." + key, findings);
                }
              });
        }
      }
      case "additionalProperties" -> {
        if (found instanceof Map<?, ?>) {
          Set<String> others = new HashSet<>(value.object().keySet());
          if (rule.has("properties")) {
            others.removeAll(rule.get("properties").object().keySet());
          }
          others.forEach(key -> check(told, value.get(key), at + "." + key, findings));
        }
      }
      case "propertyNames" -> {
        if (found instanceof Map<?, ?>) {
          value
              .object()
              .keySet()
              .forEach(key -> check(told, new JsonReader(key), at + " key " + key, findings));
        }
      }
      default -> throw new IllegalArgumentException("keyword not known here: " + keyword);
    }
    if (!right) {
      findings.add(at + " is " + found + ", not of " + keyword + " " + told.value());
    }
  }

  /** Of several rules exactly one holds; if none does, the one that is nearest is told. */
  private void oneOf(List<JsonReader> rules, JsonReader value, String at, List<String> findings) {
    List<List<String>> wrong = new ArrayList<>();
    for (JsonReader rule : rules) {
      List<String> found = new ArrayList<>();
      check(rule, value, at, found);
      if (!found.isEmpty()) {
        wrong.add(found);
      }
    }
    int right = rules.size() - wrong.size();
    if (right == 0) {
      findings.addAll(Collections.min(wrong, Comparator.comparingInt(List::size)));
    } else if (right > 1) {
      findings.add(at + " is of " + right + " rules of which one may hold");
    }
  }

  private JsonReader resolve(String reference) {
    if (!reference.startsWith("#/")) {
      throw new IllegalArgumentException("reference not known here: " + reference);
    }
    JsonReader at = root;
    for (String step : reference.substring(2).split("/", -1)) {
      at = at.get(step);
    }
    return at;
  }

  private static BigDecimal decimal(JsonReader number) {
    return (BigDecimal) java.util.Objects.requireNonNull(number.value());
  }

  private static boolean same(JsonReader a, JsonReader b) {
    return a.value() instanceof BigDecimal x && b.value() instanceof BigDecimal y
        ? x.compareTo(y) == 0
        : a.equals(b);
  }

  private static boolean hasType(JsonReader type, JsonReader value) {
    if (type.value() instanceof List<?>) {
      return type.array().stream().anyMatch(one -> hasType(one, value));
    }
    return switch (type.text()) {
      case "object" -> value.value() instanceof Map<?, ?>;
      case "array" -> value.value() instanceof List<?>;
      case "string" -> value.value() instanceof String;
      case "boolean" -> value.value() instanceof Boolean;
      case "null" -> value.value() == null;
      case "number" -> value.value() instanceof BigDecimal;
      case "integer" ->
          value.value() instanceof BigDecimal n && n.stripTrailingZeros().scale() <= 0;
      default -> throw new IllegalArgumentException("type not known here: " + type);
    };
  }
}
