package io.ntrail.cli.trace;

import io.ntrail.testkit.ExternalTool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * X server without a screen, for programs with windows.
 *
 * @param display its name, as in {@code :1}
 */
record VirtualScreen(Process server, String display) implements AutoCloseable {
  private static final ExternalTool XVFB = ExternalTool.of("xvfb", "Xvfb");

  /** Returns true if it is installed; the condition of an assumption. */
  static boolean available() {
    return XVFB.available();
  }

  /** Returns the reason to skip tests where {@link #available} is false. */
  static String missing() {
    return XVFB.missing();
  }

  /** Starts one. */
  static VirtualScreen start() throws IOException {
    Process server =
        new ProcessBuilder(
                XVFB.path(), "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader said =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.ISO_8859_1));
    return new VirtualScreen(server, ":" + said.readLine());
  }

  @Override
  public void close() {
    server.destroy();
    try {
      server.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
