package io.ntrail.testkit.pe;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Statement of the makers of the images of group {@code eh} about one of them.
 *
 * @param name the image's file name
 * @param suite the manifest it is of: {@code windows}, {@code rust}, {@code cxx-itanium}, {@code
 *     go}
 * @param sha256 of the unpacked image
 * @param size of the unpacked image in bytes
 * @param values the whole entry: maps, lists, texts, numbers as doubles, truth values
 */
public record EhManifest(
    String name, String suite, String sha256, long size, Map<String, Object> values) {
  private static final List<String> SUITES = List.of("windows", "rust", "cxx-itanium", "go");

  /** All images, in the order of their names. */
  public static List<EhManifest> all() throws IOException {
    List<EhManifest> all = new ArrayList<>();
    for (String suite : SUITES) {
      String text =
          new String(
              TestData.gunzip("pe/eh/manifest-" + suite + "-eh.json.gz"), StandardCharsets.UTF_8);
      for (Object artifact : list(map(JsonText.parse(text)).get("artifacts"))) {
        Map<String, Object> values = map(artifact);
        String path = (String) require(values.get("path"));
        all.add(
            new EhManifest(
                path.substring(path.lastIndexOf('/') + 1),
                suite,
                (String) require(values.get("sha256")),
                ((Double) require(values.get("size"))).longValue(),
                values));
      }
    }
    all.sort(Comparator.comparing(EhManifest::name));
    return List.copyOf(all);
  }

  /** The manifest entry of one image. */
  public static EhManifest of(String name) throws IOException {
    return all().stream().filter(entry -> entry.name.equals(name)).findFirst().orElseThrow();
  }

  /** x86, x86_64, aarch64 or arm. */
  public String architecture() {
    Object said = values.get("architecture");
    // Go calls it by its own name.
    return said instanceof String text ? text : "x86_64";
  }

  /** The personality routines of which at least one must be found; empty: none is required. */
  public List<String> personalitiesAny() {
    return texts("neverd", "personalities_any");
  }

  /** Names of sections that must be there. */
  public List<String> requiredSections() {
    return texts("evidence", "required_sections");
  }

  /** Groups of names: of each group at least one must be imported. */
  public List<List<String>> requiredImports() {
    return part("evidence").get("required_imports_any") instanceof List<?> groups
        ? groups.stream().map(group -> list(group).stream().map(String::valueOf).toList()).toList()
        : List.of();
  }

  /** A number of the part {@code neverd}, for example {@code min_try_blocks}; 0 if not stated. */
  public int minimum(String key) {
    return part("neverd").get(key) instanceof Double number ? number.intValue() : 0;
  }

  /** A truth value of a part, false if not stated. */
  public boolean flag(String part, String key) {
    return Boolean.TRUE.equals(part(part).get(key));
  }

  /** The text of a key of a part, empty if not stated. */
  public String text(String part, String key) {
    return part(part).get(key) instanceof String text ? text : "";
  }

  /** The texts of a list of a part, empty if not stated. */
  public List<String> texts(String part, String key) {
    return part(part).get(key) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }

  private Map<String, Object> part(String part) {
    Object found = values.get(part);
    return found == null ? Map.of() : map(found);
  }

  private static Object require(@org.jspecify.annotations.Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException("a manifest entry without path, sha256 or size");
    }
    return value;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  private static List<?> list(@org.jspecify.annotations.Nullable Object value) {
    return (List<?>) require(value);
  }
}
