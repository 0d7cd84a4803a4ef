package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.testkit.Property;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Images that were made to confuse readers, and good ones that were damaged. */
class DamagedDirectoriesTest {
  @Test
  @EnabledIf(
      value = "io.ntrail.formats.pe.StoredImages#present",
      disabledReason = "no test data on this machine")
  void everyHandMadeImageHasAnAnswer() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          int read = 0;
          for (var image : StoredImages.corkami().entrySet()) {
            try {
              AllDirectories.read(image.getValue(), image.getKey());
              read++;
            } catch (CannotGoOn e) {
              assertTrue(!e.message().isEmpty());
            }
          }
          assertTrue(read > 150, read + " images were read");
        });
  }

  @Test
  void anImageThatIsCutHasAnAnswer() {
    for (PeBuilder builder :
        List.of(
            BuiltImages.everything(MachineType.AMD64),
            BuiltImages.everything(MachineType.I386),
            BuiltImages.special())) {
      byte[] whole = builder.build().file();
      for (int length = 0; length < whole.length; length += length < 0x400 ? 1 : 37) {
        try {
          AllDirectories.read(Arrays.copyOf(whole, length), "cut at " + length);
        } catch (CannotGoOn e) {
          assertTrue(!e.message().isEmpty());
        }
      }
    }
  }

  @Test
  void anImageWithWrongBitsHasAnAnswer() {
    byte[][] wholes = {
      BuiltImages.everything(MachineType.AMD64).build().file(),
      BuiltImages.everything(MachineType.I386).build().file(),
      BuiltImages.special().build().file()
    };
    Property.check(
        2000,
        gen -> {
          byte[] bytes = wholes[gen.below(wholes.length)].clone();
          for (int i = gen.below(12); i >= 0; i--) {
            damage(bytes, gen);
          }
          try {
            AllDirectories.read(bytes, "damaged");
          } catch (CannotGoOn e) {
            assertTrue(!e.message().isEmpty());
          }
        });
  }

  private static void damage(byte[] bytes, Property.Gen gen) {
    int at = gen.below(bytes.length);
    switch (gen.below(4)) {
      case 0 -> bytes[at] ^= (byte) (1 << gen.below(8));
      case 1 -> bytes[at] = (byte) 0xFF;
      case 2 -> bytes[at] = 0;
      default -> {
        for (int i = at & ~3; i < Math.min(bytes.length, (at & ~3) + 4); i++) {
          bytes[i] = (byte) (gen.below(3) == 0 ? 0x7F : 0xFF);
        }
      }
    }
  }
}
