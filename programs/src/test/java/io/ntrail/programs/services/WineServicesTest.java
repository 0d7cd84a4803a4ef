package io.ntrail.programs.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.pe.WineImages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stubs of Wine's own images, against a second reading of their bytes. */
class WineServicesTest {
  private static Path wine(String name) {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    return WineImages.all().stream()
        .filter(path -> path.toString().endsWith("x86_64-windows/" + name))
        .findFirst()
        .orElseThrow();
  }

  private static SystemServices services(Path path) throws IOException {
    try (InputFile input = InputFile.map(path, path.toString())) {
      return SystemServices.of(PeImage.ofFile(input));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ntdll.dll", "win32u.dll"})
  void numbersAndNamesAreThoseOfTheBytes(String name) throws IOException {
    Path path = wine(name);
    Map<Integer, String> found = new TreeMap<>();
    SystemServices services = services(path);
    for (SystemService service : services.list()) {
      found.put(service.index(), service.name() + " at " + service.rva());
    }
    Map<Integer, String> expected = SecondReading.of(Files.readAllBytes(path));
    assertTrue(expected.size() > 200, () -> expected.size() + " stubs");
    assertEquals(expected, found);
    assertEquals(services.list().size(), found.size(), "one service a number");
  }

  @Test
  void theListOfNamesKnowsTheServicesOfWindowsThatWineHas() throws IOException {
    ServiceNames names = ServiceNames.load();
    List<String> unknown = new ArrayList<>();
    for (SystemService service : services(wine("ntdll.dll")).list()) {
      // Those without are Wine's own.
      service
          .hash()
          .ifPresent(hash -> {
            if (!String.valueOf(service.name()).equals(names.name(hash))) {
              unknown.add(service.toString());
            }
          });
    }
    assertEquals(List.of(), unknown);
  }

  /**
   * Walks the export table by hand, for files whose sections lie in the file as in memory or not.
   */
  private static final class SecondReading {
    private final ByteBuffer file;
    private final int header;

    private SecondReading(byte[] bytes) {
      file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      header = file.getInt(0x3C);
    }

    static Map<Integer, String> of(byte[] bytes) {
      return new SecondReading(bytes).stubs();
    }

    private int at(int rva) {
      int count = file.getShort(header + 6);
      int row = header + 24 + file.getShort(header + 20);
      for (int i = 0; i < count; i++, row += 40) {
        int start = file.getInt(row + 12);
        if (rva >= start && rva < start + file.getInt(row + 16)) {
          return rva - start + file.getInt(row + 20);
        }
      }
      return -1;
    }

    private String text(int at) {
      int end = at;
      while (file.get(end) != 0) {
        end++;
      }
      return new String(file.array(), at, end - at, StandardCharsets.US_ASCII);
    }

    private Map<Integer, String> stubs() {
      int exports = at(file.getInt(header + 24 + 112));
      Map<Integer, String> stubs = new TreeMap<>();
      for (int i = 0; i < file.getInt(exports + 24); i++) {
        String name = text(at(file.getInt(at(file.getInt(exports + 32)) + 4 * i)));
        int index = file.getShort(at(file.getInt(exports + 36)) + 2 * i) & 0xFFFF;
        int rva = file.getInt(at(file.getInt(exports + 28)) + 4 * index);
        int at = at(rva);
        // mov r10,rcx; mov eax,number; ...; syscall in the next twelve bytes
        if (at > 0 && file.getInt(at) == 0xB8D1_8B4C && file.getShort(at + 18) == 0x050F) {
          stubs.putIfAbsent(file.getInt(at + 4), name + " at " + rva);
        }
      }
      return stubs;
    }
  }
}
