package io.ntrail.analysis.merge;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Arbitrary bytes as a recording that is merged, alone or with a sound one of the same clock. The
 * stored inputs are recordings of the testkit's writer.
 *
 * <p>To fuzz it: {@code JAZZER_FUZZ=1 mvn test -pl testkit,formats,programs,analysis
 * -Dtest=MergeFuzzTest -Djazzer.internal.arg.0=x -Djazzer.internal.arg.1=-max_len=16384}.
 */
class MergeFuzzTest {
  private static final UUID SHOP = UUID.fromString("5f8b1c1e-5a5e-4d6c-8f43-8a2f7d0c1b11");
  private static final byte[] SOUND = sound();

  private static byte[] sound() {
    EtlSettings settings = EtlSettings.windows11().bufferSize(1024).headerLogger(0x1D);
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < 20; i++) {
      writer.log(i % 3, EtlRecords.event(8, SHOP, i).time(settings.startTicks() + 7L * i).build());
    }
    return writer.toByteArray();
  }

  /**
   * Merges.
   *
   * @param data the recording; the lowest bits of the first byte choose compression and company
   */
  @FuzzTest(maxDuration = "130s")
  void recordings(byte[] data) throws IOException {
    if (data.length == 0) {
      return;
    }
    byte[] file = Arrays.copyOfRange(data, 1, data.length);
    List<byte[]> files =
        switch (data[0] >> 1 & 3) {
          case 1 -> List.of(file, SOUND);
          case 2 -> List.of(SOUND, file);
          default -> List.of(file);
        };
    Path folder = Files.createTempDirectory("merge-fuzz");
    try {
      new MergeRules(folder).check(files, (data[0] & 1) != 0);
    } finally {
      Files.deleteIfExists(folder.resolve("merge-rules.etl"));
      Files.delete(folder);
    }
  }
}
