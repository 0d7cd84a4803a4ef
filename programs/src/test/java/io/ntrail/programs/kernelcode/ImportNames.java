package io.ntrail.programs.kernelcode;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The index of each import of a driver in its import address table, read from the mapped image. */
final class ImportNames {
  private final Map<String, Integer> indexes = new HashMap<>();

  private ImportNames() {}

  static ImportNames of(DriverSample driver) {
    ImportNames names = new ImportNames();
    byte[] memory = driver.memory();
    int optional = (int) LittleEndian.getU32(memory, 0x3C) + 24;
    for (int at = (int) LittleEndian.getU32(memory, optional + 112 + 8);
        LittleEndian.getU32(memory, at + 12) != 0;
        at += 20) {
      String module = text(memory, (int) LittleEndian.getU32(memory, at + 12));
      int lookups = (int) LittleEndian.getU32(memory, at);
      long addresses = LittleEndian.getU32(memory, at + 16);
      for (int i = 0; LittleEndian.getU64(memory, lookups + 8 * i) != 0; i++) {
        long lookup = LittleEndian.getU64(memory, lookups + 8 * i);
        String name = lookup < 0 ? "#" + (lookup & 0xFFFF) : text(memory, (int) lookup + 2);
        names.indexes.put(module + "!" + name, (int) ((addresses + 8L * i - driver.slot(0)) / 8));
      }
    }
    return names;
  }

  private static String text(byte[] memory, int at) {
    int end = at;
    while (memory[end] != 0) {
      end++;
    }
    return new String(memory, at, end - at, StandardCharsets.US_ASCII);
  }

  /** The address of an import, if the test wants it to be known. */
  OptionalLong known(String module, @Nullable String name, int ordinal) {
    Integer index = indexes.get(module + "!" + (name == null ? "#" + ordinal : name));
    if (index == null) {
      throw new IllegalArgumentException("no import: " + module + " " + name + " " + ordinal);
    }
    return DriverSample.known(index)
        .map(target -> OptionalLong.of(DriverSample.BASE + target))
        .orElse(OptionalLong.empty());
  }
}
