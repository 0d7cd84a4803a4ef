package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.Tools;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The converter of async-profiler, which reads collapsed stacks and flame graphs. */
final class JfrConverter {
  private JfrConverter() {}

  /** Returns a file's content as collapsed stacks. */
  static FoldedText read(Path file) throws IOException {
    Path out = Files.createTempFile("converted", ".collapsed");
    try {
      run("-o", "collapsed", file.toString(), out.toString());
      return FoldedText.of(Files.readAllLines(out));
    } finally {
      Files.delete(out);
    }
  }

  private static void run(String... words) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String[] command = new String[words.length + 4];
    List<String> start = List.of(java, "-cp", jar(), "one.convert.Main");
    start.toArray(command);
    System.arraycopy(words, 0, command, start.size(), words.length);
    Tools.Result result = Tools.run(command);
    assertEquals("", result.err());
    assertEquals(0, result.exit(), result.out());
  }

  private static String jar() throws IOException {
    try {
      return Path.of(
              one.convert.FlameGraph.class
                  .getProtectionDomain()
                  .getCodeSource()
                  .getLocation()
                  .toURI())
          .toString();
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }
}
