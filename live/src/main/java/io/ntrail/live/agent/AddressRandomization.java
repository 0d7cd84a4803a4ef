package io.ntrail.live.agent;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Random placement of a program's memory by Linux, without which Wine is started where possible.
 *
 * <p>Debian's 64-bit loader of Wine lies at 0x7D000000, and Wine needs the page at 0x7FFE0000,
 * where Windows has data that all programs share. Since Linux 6.9 the heap of a program begins
 * anywhere within 1 GiB behind it (before: 32 MiB), and so lies on that page in one of some 8,000
 * starts. Wine then ends with exit code 1, and says why only if its messages are switched on.
 * Children inherit the placement: a program that is traced, and all that it starts.
 */
final class AddressRandomization {
  private static final int PATIENCE_SECONDS = 10;

  /** Programs of util-linux; the flag is ADDR_NO_RANDOMIZE of personality(2). */
  private static final List<String> SWITCH_OFF = List.of("setarch", "-R");

  private AddressRandomization() {}

  /** Found out when it is first requested. */
  private static final class Here {
    static final boolean CAN_BE_SWITCHED_OFF = tried();
  }

  /**
   * Returns what stands in front of a command to run it without; empty where that is not possible
   * (another system, a container that forbids it).
   */
  static List<String> off() {
    return Here.CAN_BE_SWITCHED_OFF ? SWITCH_OFF : List.of();
  }

  private static boolean tried() {
    if (File.separatorChar != '/') {
      return false;
    }
    try {
      Process process =
          new ProcessBuilder(SWITCH_OFF.get(0), SWITCH_OFF.get(1), "true")
              .redirectInput(new File("/dev/null"))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
