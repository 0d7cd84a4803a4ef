package io.ntrail.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every rule can fail: small samples that break one each. */
class RulesTest {
  @TempDir private static Path samples;

  private static final String PAGE =
      """
      # A page

      | package | purpose | may use |
      | --- | --- | --- |
      | `formats.bytes` | bytes | - |
      | `formats.one` | a format | `formats.bytes` |
      | `cli.text` | prints | - |

      | what | only in |
      | --- | --- |
      | `java.nio.ByteBuffer` | `formats.bytes` |
      | `java.lang.foreign` | `formats.bytes` |
      | `java.lang.System.out` | `cli.text` |
      | `java.lang.System.err` | `cli.text` |
      | `java.io.FileDescriptor` | `cli.text` |
      | `java.util.logging` | - |
      """;

  private static final String BYTES = "package io.ntrail.formats.bytes; public class Bytes {}";
  private static final String ONE =
      "package io.ntrail.formats.one; public class One extends io.ntrail.formats.bytes.Bytes {}";
  private static final String TEXT =
      """
      package io.ntrail.cli.text;
      public class Text {
        void print() {
          System.out.println();
        }
      }
      """;

  private static List<String> findings(String page, String... sources) {
    return Rules.check(House.read(page), compile(sources));
  }

  private static void finds(String expected, String page, String... sources) {
    List<String> findings = findings(page, sources);
    assertTrue(
        findings.stream().anyMatch(finding -> finding.contains(expected)),
        () -> "no finding with '" + expected + "' in " + findings);
  }

  @Test
  void nothingToFind() {
    assertEquals(List.of(), findings(PAGE, BYTES, ONE, TEXT));
  }

  @Test
  void packageThatIsNotListed() {
    finds(
        "io.ntrail.formats.two.Two (Two.java) is in a package that ARCHITECTURE.md does not list",
        PAGE,
        BYTES,
        ONE,
        TEXT,
        "package io.ntrail.formats.two; class Two {}");
  }

  @Test
  void listedPackageThatDoesNotExist() {
    finds("ARCHITECTURE.md:6 lists io.ntrail.formats.one, which has no classes", PAGE, BYTES, TEXT);
  }

  @Test
  void arrowThatIsNotListed() {
    finds(
        "io.ntrail.cli.text.Text (Text.java:5) uses io.ntrail.formats.one,"
            + " which ARCHITECTURE.md:7 does not allow to io.ntrail.cli.text",
        PAGE,
        BYTES,
        ONE,
        """
        package io.ntrail.cli.text;
        class Text {
          Object make() {
            int one = 1;
            return new io.ntrail.formats.one.One();
          }
        }
        """);
  }

  @Test
  void arrowsInSignaturesAnnotationsAndArraysCount() {
    for (String use :
        List.of(
            "java.util.List<io.ntrail.formats.one.One> field;",
            "void call(io.ntrail.formats.one.One[][] many) {}",
            "<T extends io.ntrail.formats.one.One> void call(T one) {}",
            "void call() throws io.ntrail.formats.one.One.Bad {}",
            "Object o = io.ntrail.formats.one.One[].class;",
            "@io.ntrail.formats.one.One.Mark int marked;")) {
      finds(
          "uses io.ntrail.formats.one",
          PAGE,
          """
          package io.ntrail.formats.one;
          public class One {
            public static class Bad extends Exception {}
            public @interface Mark {}
          }
          """,
          "package io.ntrail.cli.text; class Text { " + use + " }");
    }
  }

  @Test
  void listedArrowThatNoClassHas() {
    finds(
        "no class of io.ntrail.formats.one uses io.ntrail.formats.bytes: take it out of"
            + " ARCHITECTURE.md:6",
        PAGE,
        BYTES,
        "package io.ntrail.formats.one; class One {}",
        TEXT);
  }

  @Test
  void circle() {
    finds(
        "packages in a circle: io.ntrail.formats.bytes -> io.ntrail.formats.one ->"
            + " io.ntrail.formats.bytes",
        PAGE,
        "package io.ntrail.formats.bytes; public class Bytes { io.ntrail.formats.one.One one; }",
        ONE);
  }

  @Test
  void mainCodeThatUsesTheTestkit() {
    String page = PAGE.replace("| prints | - |", "| prints | `testkit` |");
    finds("lets io.ntrail.cli.text use the testkit", page, TEXT);
    finds(
        "uses io.ntrail.testkit",
        PAGE,
        "package io.ntrail.testkit; public class Kit {}",
        "package io.ntrail.cli.text; class Text extends io.ntrail.testkit.Kit {}");
  }

  @Test
  void testkitThatUsesUs() {
    String page =
        PAGE.replace("| `cli.text` | prints | - |", "| `testkit` | x | `formats.bytes` |");
    finds("the testkit uses nothing of ours", page, BYTES);
  }

  @Test
  void formatThatUsesTheArchives() {
    String page = PAGE.replace("`formats.bytes` |\n| `cli", "`formats.archives` |\n| `cli");
    finds("a format may use bytes, collections, compression and identity only", page, BYTES);
  }

  @Test
  void formatThatUsesASibling() {
    String page = PAGE.replace("`formats.bytes` |\n| `cli", "`formats.two` |\n| `cli");
    finds("a format may use bytes, collections, compression and identity only", page, BYTES);
  }

  @Test
  void liveTracingNeedsNothingAbovePrograms() {
    String page = PAGE + "\n| package | purpose | may use |\n| --- | --- | --- |\n";
    finds(
        "arrows point down only",
        page + "| `live.plan` | plans | `analysis.calls` |\n",
        BYTES,
        ONE,
        TEXT);
  }

  private static String drawn(String... rows) {
    return "```\n" + String.join("\n", rows) + "\n```\n\n" + PAGE;
  }

  @Test
  void aPictureThatShowsTheCode() {
    String page = drawn("  cli       text", "     |", "  formats   one", "            bytes");
    assertEquals(List.of(), findings(page, BYTES, ONE, TEXT));
  }

  @Test
  void packageThatThePictureLacks() {
    String page = drawn("  formats   one", "            bytes");
    finds("the picture in ARCHITECTURE.md lacks io.ntrail.cli.text", page, BYTES, ONE, TEXT);
  }

  @Test
  void packageThatOnlyThePictureHas() {
    String page = drawn("  cli       text", "  formats   one · two", "            bytes");
    finds("the picture in ARCHITECTURE.md has io.ntrail.formats.two", page, BYTES, ONE, TEXT);
  }

  @Test
  void arrowThatDoesNotPointDownInThePicture() {
    String page = drawn("  cli       text", "  formats   bytes · one");
    finds(
        "uses io.ntrail.formats.bytes, which is not drawn below io.ntrail.formats.one",
        page,
        BYTES,
        ONE,
        TEXT);
  }

  @Test
  void oneNameForTwoTypes() {
    finds(
        "have one name: rename one of them",
        PAGE,
        BYTES,
        "package io.ntrail.formats.one; class Bytes {}",
        TEXT);
  }

  @Test
  void arrowUpwards() {
    String page = PAGE.replace("| bytes | - |", "| bytes | `cli.text` |");
    finds("arrows point down only", page, BYTES, TEXT);
  }

  @Test
  void thingsOutOfTheirPlace() {
    for (String use :
        List.of(
            "java.nio.ByteBuffer buffer;",
            "java.lang.foreign.MemorySegment segment;",
            "Object layout = java.lang.foreign.ValueLayout.JAVA_BYTE;",
            "void print() { System.out.println(); }",
            "void print() { System.err.println(); }",
            "Object out = new java.io.FileOutputStream(java.io.FileDescriptor.out);",
            "Object log = java.util.logging.Logger.getLogger(null);")) {
      String one =
          "package io.ntrail.formats.one; class One extends io.ntrail.formats.bytes.Bytes { "
              + use
              + " }";
      finds("io.ntrail.formats.one.One (One.java", PAGE, BYTES, one, TEXT);
      finds("has its place in", PAGE, BYTES, one, TEXT);
    }
    assertEquals(
        List.of(),
        findings(PAGE, BYTES.replace("{}", "{ java.nio.ByteBuffer buffer; }"), ONE, TEXT));
  }

  @Test
  void staticFieldsThatCanChange() {
    for (String field :
        List.of("static int n;", "static final int[] N = {1};", "public static Object n;")) {
      finds("can change", PAGE, BYTES.replace("{}", "{ " + field + " }"), ONE, TEXT);
    }
    for (String field :
        List.of(
            "static final int N = 1;", "private static final int[] N = {1};", "enum E {A, B}")) {
      assertEquals(
          List.of(), findings(PAGE, BYTES.replace("{}", "{ " + field + " }"), ONE, TEXT), field);
    }
  }

  private static List<CompiledClass> compile(String... sources) {
    try {
      Path folder = Files.createTempDirectory(samples, "sample");
      List<String> words =
          new ArrayList<>(List.of("-d", folder.toString(), "-proc:none", "-implicit:none"));
      for (String source : sources) {
        String name = source.replaceFirst("(?s).*?\\bclass (\\w+).*", "$1");
        Path file = folder.resolve(words.size() + "/" + name + ".java");
        Files.createDirectories(file.resolveSibling(""));
        words.add(Files.writeString(file, source).toString());
      }
      StringWriter messages = new StringWriter();
      ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
      PrintWriter out = new PrintWriter(messages);
      assertEquals(0, javac.run(out, out, words.toArray(String[]::new)), messages::toString);
      List<CompiledClass> classes = new ArrayList<>();
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          classes.add(CompiledClass.read(Files.readAllBytes(file)));
        }
      }
      return classes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
