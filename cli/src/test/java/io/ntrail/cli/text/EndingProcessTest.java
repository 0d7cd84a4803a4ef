package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Work of a process that ends already, as of a trace that was stopped and counts its calls. */
class EndingProcessTest {
  @Test
  void workCanBeginWhileTheProcessEnds() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Ending.class.getName())
            .redirectErrorStream(true)
            .start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(0, process.waitFor(), said);
    assertEquals("begun", said);
  }

  /** A program that works while it ends. */
  static final class Ending {
    private Ending() {}

    /** Ends at once. */
    public static void main(String[] arguments) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(() -> {
                Interruption.ofProcess().begin(() -> {});
                System.out.println("begun");
              }));
    }
  }
}
