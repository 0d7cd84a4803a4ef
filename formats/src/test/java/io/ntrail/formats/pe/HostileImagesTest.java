package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.Allocation;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images made to break readers are answered: read as far as they go, or refused with a reason. */
class HostileImagesTest {
  private static final long MOST_NANOS = 5_000_000_000L;

  /** All that is allocated on the way, not what is held at a time. */
  private static final long MOST_ALLOCATED = 64L << 20;

  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hostile", "corkami"})
  void everyImageIsAnsweredSoonAndInLittleMemory(String group) {
    Map<String, String> broken = new TreeMap<>();
    for (PeSample sample : PeSamples.group(group)) {
      byte[] file = sample.bytes();
      long began = ProcessorTime.nanos();
      long allocated = Allocation.during(() -> answer(file, sample.name(), broken));
      long took = ProcessorTime.nanos() - began;
      if (took > MOST_NANOS || allocated > MOST_ALLOCATED + 50L * file.length) {
        broken.put(sample.name(), took / 1_000_000 + " ms, " + allocated + " bytes");
      }
    }
    assertEquals(Map.of(), broken);
  }

  private static void answer(byte[] file, String name, Map<String, String> broken) {
    try {
      ImageContents.of(SampleImages.open(file, name));
    } catch (CannotGoOn e) {
      assertEquals(false, e.nextStep().isEmpty(), name);
    } catch (RuntimeException | StackOverflowError e) {
      broken.put(name, e.toString());
    }
  }

  @Test
  void refusedFilesAreNotImages() {
    Map<String, String> refused = new TreeMap<>();
    for (PeSample sample : PeSamples.all()) {
      try {
        SampleImages.open(sample);
      } catch (CannotGoOn e) {
        String[] said = e.message().split(" is not a PE image: ", 2);
        assertEquals(sample.toString(), said[0]);
        refused.put(said[0], said[1]);
      }
    }
    assertEquals(
        Map.of(
            // Made to be loaded as data: of its headers there are the two signatures.
            "corkami/d_tiny.dll",
            "its optional header has the magic 0x7962, not PE32",
            // Only the very first versions of Windows XP took this spelling.
            "corkami/dosZMXP.exe",
            "it does not start with MZ",
            "hostile/binskim-Corrupted_Native_x86_VS2013_Default.exe",
            "its MZ header points to offset 0xffffffff, past the end of the file",
            "windows/_setup.dll",
            "it is a 16-bit program (NE)"),
        refused);
  }
}
