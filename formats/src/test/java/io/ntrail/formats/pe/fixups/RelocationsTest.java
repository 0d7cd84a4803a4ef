package io.ntrail.formats.pe.fixups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.StoredImages;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Base relocations of real images, against llvm-readobj. */
@EnabledIf(
    value = "io.ntrail.formats.pe.StoredImages#present",
    disabledReason = "no test data on this machine")
class RelocationsTest {
  /** The lines between {@code BaseReloc [} and {@code ]}, as {@code type address}. */
  private static List<String> printed(List<String> block) {
    List<String> entries = new ArrayList<>();
    int at = block.indexOf("BaseReloc [");
    String type = "";
    for (; at >= 0 && at < block.size() && !block.get(at).equals("]"); at++) {
      String line = block.get(at);
      if (line.startsWith("Type: ")) {
        type = line.substring(6);
      } else if (line.startsWith("Address: ") && !type.equals("ABSOLUTE")) {
        entries.add(type + " " + Long.decode(line.substring(9)));
      }
    }
    return entries;
  }

  @ParameterizedTest
  @ValueSource(strings = {"windows", "toolchains", "flags", "eh"})
  void areThoseThatLlvmPrints(String folder) {
    int compared = 0;
    for (var expected : StoredImages.readobj(folder).entrySet()) {
      PeImage image = StoredImages.image(expected.getKey());
      if (!MachineType.isX86(image.headers().machine())) {
        continue;
      }
      List<String> found = new ArrayList<>();
      Relocations relocations = Relocations.of(image);
      relocations.forEach((rva, type, low) ->
          found.add(Relocations.typeName(image.headers().machine(), type) + " " + rva));
      assertEquals(printed(expected.getValue()), found, expected.getKey());
      assertEquals(found.size(), relocations.count(), expected.getKey());
      compared++;
    }
    assertTrue(compared > 10, folder);
  }

  @Test
  void countsAreByType() {
    Relocations relocations = Relocations.of(StoredImages.image("windows/IEAdvpack.dll"));
    assertEquals(2721, relocations.count(Relocations.HIGHLOW));
    assertEquals(relocations.count(), relocations.count(Relocations.HIGHLOW));
    assertEquals(0, relocations.count(Relocations.DIR64));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "windows/acpi.sys",
        "windows/kernel32.dll",
        "windows/KernelBase.dll",
        "windows/IEAdvpack.dll"
      })
  void everyAddressMovesByTheDifference(String name) {
    PeImage image = StoredImages.image(name);
    Relocations relocations = Relocations.of(image);
    int pointer = image.headers().pointerBytes();
    long delta = 0x7000_0000L;
    relocations.forEach((rva, type, low) -> {
      var moved = relocations.relocated(rva, pointer, delta);
      long stored = image.view().pointer(rva, pointer);
      long mask = pointer == 8 ? -1 : 0xFFFF_FFFFL;
      assertEquals(stored + delta & mask, moved.bytes().pointer(0, pointer), name);
      assertTrue(moved.changed() >= 1 && moved.unknown() == 0, name);
    });
  }

  @Test
  void aPieceIsChangedAsTheWholeIs() {
    PeImage image = StoredImages.image("windows/kernel32.dll");
    Relocations relocations = Relocations.of(image);
    Section data = image.sections().get(2);
    int size = (int) Math.min(data.rawSize(), data.virtualSize());
    byte[] whole = relocations.relocated(data.rva(), size, 0x1234_5000).bytes().array(0, size);
    for (int at = 0; at + 13 <= size; at += 13) {
      byte[] piece = relocations.relocated(data.rva() + at, 13, 0x1234_5000).bytes().array(0, 13);
      for (int i = 0; i < piece.length; i++) {
        assertEquals(whole[at + i], piece[i], "byte " + (at + i));
      }
    }
  }
}
