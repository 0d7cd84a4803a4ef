package io.ntrail.testkit.dump;

import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The shared dumps, unpacked: those of google/breakpad, rust-minidump, getsentry/symbolicator,
 * google/syzygy, rizin-testbins and LLDB, as data/dumps/README.md lists them.
 */
public final class SharedDumps {
  /** Unpacks what the folder has as {@code .xz}. */
  public static final ExternalTool XZ = ExternalTool.of("xz", "xz");

  private SharedDumps() {}

  /** Returns the minidumps that are gzip files, in the order of their names. */
  public static List<Path> minidumps() throws IOException {
    Path folder = TestData.file("dumps");
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".dmp.gz"))
          .filter(file -> !file.toString().contains("kernel"))
          .sorted()
          .toList();
    }
  }

  /** Returns the content of a dump: {@code sentry/windows.dmp}. */
  public static byte[] read(String name) throws IOException {
    return TestData.gunzip("dumps/" + name + ".gz");
  }

  /** Returns the content of the dump of a 32-bit process on 64-bit Windows, which is an xz file. */
  public static byte[] wow64() throws IOException {
    Path packed = TestData.file("dumps/lldb/fizzbuzz_wow64.dmp.xz");
    try {
      ExternalTool.Outcome unpacked =
          XZ.run(Path.of("").toAbsolutePath(), Map.of(), "-dc", packed.toString());
      return unpacked.output().getBytes(StandardCharsets.ISO_8859_1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
