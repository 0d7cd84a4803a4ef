package io.ntrail.formats.elf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import org.junit.jupiter.api.Assertions;

/** Any bytes are an ELF file or refused with a reason. */
class ElfFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void anythingIsReadOrRefused(byte[] data) {
    try (InputFile input = InputFile.of(data, "fuzz")) {
      ElfImage image = ElfImage.of(input);
      for (ElfSegment segment : image.segments()) {
        image.bytes(segment.offset(), (int) Math.min(64, segment.fileSize()));
      }
      Assertions.assertTrue(image.symbols().size() <= data.length);
    } catch (DamagedInput e) {
      Assertions.assertFalse(e.what().isEmpty());
    }
  }
}
