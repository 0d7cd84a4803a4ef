package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import io.ntrail.testkit.pe.WineImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images read from a file and from mapped memory are equal. */
class MappedImagesTest {
  @Test
  void everyImageOfAWineInstallationIsReadWholeFromFileAndMemory() throws IOException {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    List<String> differences = new ArrayList<>();
    for (Path path : WineImages.all()) {
      String name = path.getFileName().toString();
      byte[] file = Files.readAllBytes(path);
      PeImage image = SampleImages.open(file, name);
      compare(image, file, name, differences);
      image.gaps().forEach(gap -> differences.add(name + ": " + gap));
    }
    assertEquals("", String.join("\n", differences));
  }

  @ParameterizedTest
  @ValueSource(strings = {"windows", "eh", "flags", "toolchains", "win10"})
  void everySharedImageIsReadTheSameFromFileAndMemory(String group) {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> differences = new ArrayList<>();
    int compared = 0;
    for (PeSample sample : PeSamples.group(group)) {
      // A 16-bit program, and an image that no Windows loads.
      if (sample.name().equals("_setup.dll")
          || sample.name().equals("BA2021-NotApplicable-DotNet.R2RTest.dll")) {
        continue;
      }
      byte[] file = sample.bytes();
      compare(SampleImages.open(file, sample.name()), file, sample.name(), differences);
      compared++;
    }
    assertEquals("", String.join("\n", differences));
    assertTrue(compared > 1);
  }

  private static void compare(PeImage image, byte[] file, String name, List<String> differences) {
    Map<String, String> stored = ImageContents.of(image);
    Map<String, String> mapped = ImageContents.of(SampleImages.mapped(file, name));
    stored.forEach((part, text) -> {
      String other = mapped.getOrDefault(part, "");
      if (!text.equals(other)) {
        differences.add(name + ": " + part + ": " + difference(text, other));
      }
    });
  }

  private static String difference(String stored, String mapped) {
    int at = 0;
    while (at < Math.min(stored.length(), mapped.length())
        && stored.charAt(at) == mapped.charAt(at)) {
      at++;
    }
    int from = Math.max(0, at - 40);
    return stored.substring(from, Math.min(stored.length(), at + 40))
        + " in the file, in memory "
        + mapped.substring(from, Math.min(mapped.length(), at + 40));
  }
}
