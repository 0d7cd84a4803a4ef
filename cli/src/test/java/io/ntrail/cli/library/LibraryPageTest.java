package io.ntrail.cli.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Examples of docs/library.md: they compile, and print what is below them. */
class LibraryPageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(java|text)\n(.*?)^```$");

  @TempDir private Path folder;

  /** An example, and what it prints. */
  private record Example(String code, String output) {}

  @Test
  void everyExampleCompilesAndPrintsItsOutputOnThePage() throws Exception {
    List<MatchResult> blocks =
        BLOCK.matcher(Files.readString(ROOT.resolve("docs/library.md"))).results().toList();
    String imports = blocks.getFirst().group(2);
    List<Example> examples = new ArrayList<>();
    for (int i = 1; i < blocks.size(); i += 2) {
      assertEquals("java", blocks.get(i).group(1));
      assertEquals("text", blocks.get(i + 1).group(1));
      examples.add(new Example(blocks.get(i).group(2), blocks.get(i + 1).group(2)));
    }
    assertTrue(examples.size() >= 8, examples.size() + " examples");
    compile(imports, examples);
    for (int i = 0; i < examples.size(); i++) {
      assertEquals(examples.get(i).output, run(i), examples.get(i).code);
    }
  }

  private void compile(String imports, List<Example> examples) throws IOException {
    StringBuilder source = new StringBuilder(imports).append("class Examples {\n");
    source.append("public static void main(String[] args) throws Exception {\n");
    source.append("switch (Integer.parseInt(args[0])) {\n");
    for (int i = 0; i < examples.size(); i++) {
      source.append("case " + i + " -> {\n").append(examples.get(i).code).append("}\n");
    }
    source.append("default -> throw new IllegalArgumentException();\n}\n}\n}\n");
    Path file = Files.writeString(folder.resolve("Examples.java"), source);
    int result =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                file.toString());
    assertEquals(0, result, "compiled");
  }

  private String run(int example) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dstdout.encoding=UTF-8",
                "-cp",
                folder
                    + System.getProperty("path.separator")
                    + System.getProperty("java.class.path"),
                "Examples",
                Integer.toString(example))
            .directory(ROOT.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output.replace("\r\n", "\n");
  }
}
