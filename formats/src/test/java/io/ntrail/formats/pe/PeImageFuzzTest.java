package io.ntrail.formats.pe;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.build.PeBuilder;
import org.junit.jupiter.api.Assertions;

/**
 * Any bytes, as a file and as the memory of an image, are read whole or refused with a reason; what
 * is damaged is a gap. The seeds are images of {@link PeBuilder}, one of each that {@link
 * BuiltImages} makes.
 */
class PeImageFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void anythingIsReadOrRefused(byte[] data) {
    try {
      AllDirectories.read(data, "fuzz");
    } catch (CannotGoOn e) {
      Assertions.assertFalse(e.message().isEmpty());
    }
    try (InputFile file = InputFile.of(data, "fuzz")) {
      AllDirectories.read(PeImage.ofMemory(ImageView.flat(file)));
    } catch (CannotGoOn e) {
      Assertions.assertFalse(e.message().isEmpty());
    }
  }
}
