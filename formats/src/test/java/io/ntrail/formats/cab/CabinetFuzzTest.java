package io.ntrail.formats.cab;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Assertions;

/**
 * Any bytes, as a whole cabinet and as a folder of each compression, are unpacked or refused with a
 * reason. The seeds have no checksums, so that what lies behind them is reached.
 */
class CabinetFuzzTest {
  private static final int MOST = 1 << 20;

  @FuzzTest(maxDuration = "60s")
  void anythingIsUnpackedOrRefused(byte[] data) {
    byte[] chunk = new byte[1 << 16];
    int left = MOST;
    try (InputFile input = InputFile.of(data, "fuzz");
        Cabinet cabinet = Cabinet.open(input, new Gaps())) {
      for (CabinetFile file : cabinet.files()) {
        left -= unpack(cabinet, file, chunk, left);
      }
    } catch (CannotGoOn e) {
      Assertions.assertFalse(e.message().isEmpty());
    }
  }

  private static int unpack(Cabinet cabinet, CabinetFile file, byte[] chunk, int most) {
    int read = 0;
    // What lies before a file is unpacked as well.
    if (!cabinet.refusal(file).isEmpty() || file.offset() > MOST || most <= 0) {
      return read;
    }
    try (InputStream in = cabinet.open(file, Long.MAX_VALUE)) {
      for (int n; read < most && (n = in.read(chunk)) >= 0; ) {
        read += n;
      }
      Assertions.assertTrue(read >= most || read == file.size(), "a whole file");
    } catch (DamagedInput e) {
      Assertions.assertFalse(e.what().isEmpty());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return read;
  }

  /** The first byte is the size of the window; the data are cut into frames of 2,000 bytes. */
  @FuzzTest(maxDuration = "60s")
  void anythingIsUnpackedAsLzxOrRefused(byte[] data) {
    if (data.length == 0) {
      return;
    }
    byte[] out = new byte[Unpacker.BLOCK];
    try (Unpacker lzx = new Lzx(Lzx.MIN_WINDOW_BITS + (data[0] & 3))) {
      for (int at = 1; at < data.length; at += 2000) {
        byte[] frame = Arrays.copyOfRange(data, at, Math.min(data.length, at + 2000));
        lzx.unpack(frame, frame.length, out, out.length);
      }
    } catch (DamagedBlock e) {
      Assertions.assertFalse(e.why().isEmpty());
    }
  }
}
