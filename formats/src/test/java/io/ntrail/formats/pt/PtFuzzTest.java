package io.ntrail.formats.pt;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketClock.Rounding;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Assertions;

/** Any bytes are packets or damage, and all of them are one or the other. */
class PtFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void everyByteIsOfAPacketOrDamage(byte[] data) {
    boolean hasErrata = data.length > 0 && (data[data.length - 1] & 1) != 0;
    Set<Erratum> errata = hasErrata ? EnumSet.allOf(Erratum.class) : Set.of();
    // Without a PSB nothing but the search would be reached.
    byte[] whole = Streams.bytes(Streams.PSB + "0223");
    byte[] stream = Arrays.copyOf(whole, whole.length + data.length);
    System.arraycopy(data, 0, stream, whole.length, data.length);
    try (InputFile input = InputFile.of(stream, "fuzz")) {
      PacketCursor cursor = new PacketCursor(input, errata);
      PacketClock clock = new PacketClock(new ClockSettings(3, 2, 308, 37), Rounding.EXACT, errata);
      long end = 0;
      while (cursor.next()) {
        // What Streams makes a line of reads every field.
        Assertions.assertFalse(Streams.fields(cursor).contains("null"));
        if (end == 0 && cursor.offset() > 0) {
          // A longer pattern is synchronised with at its end.
          Assertions.assertTrue(input.window(0, (int) cursor.offset()).u16(0) == 0x8202);
          end = cursor.offset();
        }
        Assertions.assertEquals(end, cursor.offset());
        Assertions.assertTrue(cursor.length() > 0);
        end += cursor.length();
        Assertions.assertEquals(end, cursor.end());
        clock.take(cursor);
      }
      Assertions.assertEquals(stream.length, end);
    }
  }
}
