package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlKind;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.etl.TruthRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Recordings of sessions that ran side by side, each in several files. */
final class MergedPairs {
  /** Records that are written by the kernel's session, all others by that of a program. */
  private static final Set<EtlKind> OF_KERNEL =
      Set.of(EtlKind.SYSTEM64, EtlKind.COMPACT64, EtlKind.PERFINFO64, EtlKind.FULL64);

  private MergedPairs() {}

  /** Returns the files of the session of the kernel and of those of .NET. */
  static List<Path> diaghub(Path folder, String... names) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<Path> files = new ArrayList<>();
    for (String name : names) {
      byte[] file = TestData.gunzip("etl/diaghub." + name + ".etl.gz");
      files.add(Files.write(folder.resolve(name + ".etl"), file));
    }
    return files;
  }

  /** Writes the sample recording as two sessions: of the kernel, and of the programs' providers. */
  static List<Path> sample(Path folder) throws IOException {
    EtlWriter kernel = session("NT Kernel Logger", 0x02, 1 << 16, 0);
    // Its session starts later, and has other buffers.
    EtlWriter user = session("Shop", 0x1D, 1 << 14, 1_500);
    for (TruthRecord one : SampleRecording.make().truth()) {
      boolean isOfHeader = one.buffer() == 0;
      if (!isOfHeader) {
        (OF_KERNEL.contains(one.record().kind()) ? kernel : user).log(one.cpu(), one.record());
      }
    }
    Path first = folder.resolve("kernel.etl");
    Path second = folder.resolve("user.etl");
    kernel.flush().writeTo(first);
    user.flush().writeTo(second);
    return List.of(first, second);
  }

  private static EtlWriter session(String name, int logger, int bufferSize, int after) {
    EtlSettings settings = EtlSettings.windows11().names(name, "C:\\" + name + ".etl");
    settings.startTicks(settings.startTicks() + after).startTime(settings.startTime() + after);
    return new EtlWriter(settings.headerLogger(logger).bufferSize(bufferSize)).logger(logger);
  }
}
