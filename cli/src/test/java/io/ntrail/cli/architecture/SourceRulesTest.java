package io.ntrail.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SourceRulesTest {
  private static final String FOLDER = "formats/src/main/java/io/ntrail/formats/one/";

  private static List<String> of(String name, String text, String... exceptions) {
    return SourceRules.check(Map.of(FOLDER + name, text), Set.of(exceptions));
  }

  @Test
  void aClassOf500LinesIsLargeEnough() {
    assertEquals(List.of(), of("One.java", "\n".repeat(500)));
    assertEquals(
        List.of(FOLDER + "One.java has 501 lines, more than 500"),
        of("One.java", "\n".repeat(501)));
  }

  @Test
  void aNamedExceptionMayBeLargerAsLongAsItIs() {
    assertEquals(List.of(), of("One.java", "\n".repeat(501), "formats.one.One"));
    assertEquals(
        List.of("formats.one.One is listed as larger than others, and is not"),
        of("One.java", "", "formats.one.One"));
  }

  @Test
  void aPackageOf31FilesIsTwo() {
    Map<String, String> sources = new HashMap<>();
    for (int i = 0; i < 30; i++) {
      sources.put(FOLDER + "One" + i + ".java", "");
    }
    sources.put(FOLDER + "package-info.java", "");
    assertEquals(List.of(), SourceRules.check(sources, Set.of()));
    sources.put(FOLDER + "Two.java", "");
    assertEquals(
        List.of("formats.one has 31 files, more than 30"), SourceRules.check(sources, Set.of()));
    assertEquals(List.of(), SourceRules.check(sources, Set.of("formats.one")));
  }

  @Test
  void hookIdsAndPlacesInPayloadsHaveNames() {
    String path = "analysis/src/main/java/io/ntrail/analysis/etw/One.java";
    String ids = "case 0x0F2E, 0x18 -> {} // 0x0524\n/* 0x1820 */ \"0x1000\" 0xFF 0x8000_0000L";
    assertEquals(
        List.of(
            path + ": 0x0F2E is to have a name in KernelEvent",
            path + ": 0x18 is to have a name in KernelEvent"),
        SourceRules.check(Map.of(path, ids), Set.of()));
    assertEquals(
        List.of(path + ": payloadOffset() + 4 is to have a name in KernelFieldOffsets"),
        SourceRules.check(Map.of(path, "i32(r.payloadOffset() + 4)"), Set.of()));
    assertEquals(List.of(), of("KernelEvent.java", ids));
  }

  @Test
  void nothingStaticChanges() {
    assertEquals(
        List.of(
            FOLDER + "One.java: count is mutable and static",
            FOLDER + "One.java: seen is mutable and static",
            FOLDER + "One.java: KEPT is mutable and static"),
        of(
            "One.java",
            """
              private static int count;
              static volatile @Nullable One seen = null;
              private static final Map<String, One> KEPT = new HashMap<>();
            """));
    assertEquals(
        List.of(),
        of(
            "One.java",
            """
              private static final int[] TABLE = {1};
              static List<String> of(int i) {}
              private static final class Two {}
              static <T> T one(T t) { return t; }
              private static final Set<One> ALL = Set.of();
              // static int count;
            """));
  }

  @Test
  void textIsPrintedInOnePlace() {
    String path = "cli/src/main/java/io/ntrail/cli/info/One.java";
    String code =
        "new PrintStream(a); terminal.out().write(b); print(\"\\u001b[K\"); out().println()";
    assertEquals(
        List.of(
            path + ": new PrintStream is to be done by TextPrinter",
            path + ": out().write is to be done by TextPrinter",
            path + ": \\u001b is to be done by TextPrinter"),
        SourceRules.check(Map.of(path, code), Set.of()));
    String printer = "cli/src/main/java/io/ntrail/cli/text/TextPrinter.java";
    assertEquals(List.of(), SourceRules.check(Map.of(printer, code), Set.of()));
  }

  @Test
  void filesAreWrittenInOnePlace() {
    String writes = "Files.newOutputStream(a); Files.readString(b); new FileOutputStream(c)";
    assertEquals(
        List.of(
            FOLDER + "One.java: Files.newOutputStream is to be done by an OutputFile",
            FOLDER + "One.java: new FileOutputStream is to be done by an OutputFile"),
        of("One.java", writes));
    String path = "formats/src/main/java/io/ntrail/formats/bytes/OutputFile.java";
    assertEquals(List.of(), SourceRules.check(Map.of(path, writes), Set.of()));
  }

  @Test
  void aDocCommentSaysWhatTheThingIsOrDoes() {
    assertTrue(
        of("One.java", "\n/** Whether it is. */\n")
            .getFirst()
            .startsWith(FOLDER + "One.java:2: a doc comment begins with 'Whether'"));
    assertEquals(1, of("One.java", "/**\n * What is read.\n */").size());
    assertEquals(List.of(), of("One.java", "/** Whatever comes. */ /* What is not a doc. */"));
  }
}
