package io.ntrail.programs.patchability;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.pe.SmallPe;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Images of one code section, written as a list of its pieces: {@code "CC CC"} are bytes between
 * functions, {@code "f: 53 C3"} a function of that name, which the function table has (x64) or
 * which is exported (x86); {@code "-f: 53 C3"} one that is exported and nothing else, {@code "f+g:
 * ..."} one of the function table with an export after it.
 */
final class Sketches {
  static final int X86 = 0x14C;
  static final int X64 = 0x8664;

  private final SmallPe sketch;
  private final LittleEndian code = new LittleEndian();
  private final List<long[]> rows = new ArrayList<>();
  private final Map<String, Long> exports = new TreeMap<>();
  private final Map<String, Long> starts = new TreeMap<>();

  private Sketches(int machine, String... pieces) {
    this.sketch = new SmallPe(machine);
    for (String piece : pieces) {
      int colon = piece.indexOf(':');
      byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(piece.substring(colon + 1).strip());
      if (colon > 0) {
        function(machine, piece.substring(0, colon), bytes.length);
      }
      code.bytes(bytes);
    }
    sketch.section(".text", SmallPe.CODE, code.toByteArray());
  }

  private void function(int machine, String name, int length) {
    long rva = SmallPe.FIRST + code.size();
    String plain = name.startsWith("-") ? name.substring(1) : name;
    starts.put(plain, rva);
    if (machine == X64 && !name.startsWith("-")) {
      rows.add(new long[] {rva, rva + length, 0});
    } else {
      exports.put(plain, rva);
    }
  }

  static Sketches of(int machine, String... pieces) {
    return new Sketches(machine, pieces);
  }

  long start(String name) {
    return starts.getOrDefault(name, -1L);
  }

  SmallPe sketch() {
    return sketch;
  }

  /** The image with its function table and exports. */
  byte[] file() {
    if (!rows.isEmpty()) {
      sketch.functions(rows.toArray(long[][]::new));
    }
    if (!exports.isEmpty()) {
      sketch.exports(exports);
    }
    return sketch.file();
  }

  /** Returns the patch of one of the functions. */
  FunctionPatch patch(String name) {
    return patches().stream()
        .filter(patch -> patch.function().rva() == start(name))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the in-place patch of one of the functions. */
  FunctionPatch inPlace(String name) {
    try (InputFile input = InputFile.of(file(), "sketch.dll")) {
      Patchability all = Patchability.of(PeImage.ofFile(input));
      return all.list().stream()
          .filter(patch -> patch.function().rva() == start(name))
          .findFirst()
          .map(all::inPlace)
          .orElseThrow();
    }
  }

  List<FunctionPatch> patches() {
    try (InputFile input = InputFile.of(file(), "sketch.dll")) {
      return List.copyOf(Patchability.of(PeImage.ofFile(input)).list());
    }
  }
}
