package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.BufferCompression;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Compressed buffers that are damaged: bytes come out of them that look like records. */
class DamagedCompressionTest {
  private static final int RECORDS = 900;
  private static final int SAMPLED_PROF = 0x0F2E;
  private static final long SECOND = 10_000_000;

  private static EtlSettings settings() {
    return EtlSettings.windows11().bufferSize(65536).compression(BufferCompression.XPRESS);
  }

  /** A file with one buffer of records, each 1,000 ticks after the one before. */
  private static byte[] file() {
    EtlSettings settings = settings();
    SplittableRandom random = new SplittableRandom(5);
    EtlBuffer buffer = EtlBuffer.of(0, 0x1C, 1);
    for (int i = 0; i < RECORDS; i++) {
      byte[] payload = new byte[16];
      random.nextBytes(payload);
      buffer.add(
          EtlRecords.compact(8, SAMPLED_PROF)
              .time(settings.startTicks() + 1_000L * i)
              .payload(payload)
              .build());
    }
    return new EtlWriter(settings).buffer(buffer).toByteArray();
  }

  @Test
  void giveNoRecordThatIsFarFromTheTimesOfTheSession() {
    byte[] whole = file();
    long start = settings().startTicks();
    int impossible = 0;
    for (int seed = 0; seed < 200; seed++) {
      int from = 2_000 + 90 * seed;
      Gaps gaps = new Gaps();
      InputFile input = InputFile.of(Damage.garbage(whole, from, 2_000, seed), "damaged");
      try (EtlFile file = EtlFile.open(input, gaps);
          RecordCursor cursor = file.cursor(gaps)) {
        cursor.open(1);
        int records = 0;
        while (cursor.next()) {
          records++;
          long since = cursor.ticks() - start;
          assertTrue(gaps.isEmpty() || Math.abs(since) < 3600 * SECOND, seed + ": " + since);
        }
        assertTrue(records > 0 && records <= RECORDS, seed + ": " + records);
      }
      List<Gap> told = gaps.list();
      boolean isTold = told.stream().anyMatch(gap -> gap.why().contains("an impossible time"));
      impossible += isTold ? 1 : 0;
      for (Gap gap : told) {
        assertTrue(gap.bytes() > 0, gap.toString());
      }
    }
    assertTrue(impossible > 0, "no impossible times");
    assertEquals(RECORDS, records(whole));
  }

  private static int records(byte[] bytes) {
    Gaps gaps = new Gaps();
    int records = 0;
    try (EtlFile file = EtlFile.open(InputFile.of(bytes, "whole"), gaps);
        RecordCursor cursor = file.cursor(gaps)) {
      cursor.open(1);
      while (cursor.next()) {
        records++;
      }
    }
    assertEquals(List.of(), gaps.list());
    return records;
  }
}
