package io.ntrail.live.code.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.live.code.SessionCode;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.TlsSlots;
import io.ntrail.live.code.TracedCode;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bytes that are written into x64 targets, as they were measured and run for weeks: whoever
 * changes them has to measure again.
 */
class GeneratedBytesTest {
  private static final long BLOCK = 0x1_2340_0000L;
  private static final long AREA = BLOCK + 0x10_0000;

  private static SessionCode session(int record, CallDetail detail, boolean throttled, int every) {
    return new X64Architecture()
        .session(
            new SessionAddresses(
                BLOCK,
                0x7_0000_0000L,
                64,
                new TlsSlots(5, 6),
                RecordLayout.of(record),
                throttled ? 0x7_1000_0000L : 0,
                detail == CallDetail.RECORDS
                    ? CallTables.NONE
                    : CallTables.of(detail, 0x100_0000, 50, Long.BYTES),
                every == 0 ? SamplePlaces.NONE : new SamplePlaces(0x80_0000, every),
                0,
                0));
  }

  private static String digest(SessionCode code) throws NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(code.runtime().bytes());
    digest.update(code.areas().template(AREA));
    digest.update(code.areas().data(3));
    StubWriter stubs = code.stubs(BLOCK + 0x2000_0000L);
    byte[] unit = {0x48, (byte) 0x83, (byte) 0xEC, 0x28};
    int[] prologue = {0x4204};
    TracedCode function = new TracedCode(BLOCK + 0x3000_0000L, unit, List.of(), prologue, 0, true);
    stubs.add(function, 0);
    stubs.add(function.entriesOnly().at(BLOCK + 0x3000_1000L), 1);
    digest.update(stubs.bytes());
    return HexFormat.of().formatHex(digest.digest(), 0, 8);
  }

  @ParameterizedTest
  @CsvSource({
    "32, RECORDS, false, 0, 5fe7348571fa7a38",
    "64, RECORDS, true, 0, f12a5c088c995678",
    "128, RECORDS, false, 16, dad8a6c0bd8dd03f",
    "32, TIMES, false, 0, cf17f64391f577da",
    "32, COUNTS, false, 0, 747f9a1060f3c36a",
  })
  void areTheSameAsBefore(
      int record, CallDetail detail, boolean throttled, int every, String expected)
      throws NoSuchAlgorithmException {
    assertEquals(expected, digest(session(record, detail, throttled, every)));
  }
}
