package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The functions in the COFF symbol table, which linkers of the GNU tools leave in images (the
 * format's description, "COFF Symbol Table"). Only of files: the table is not mapped.
 *
 * @param functions symbols in sections with code, in the order of the table
 */
public record CoffSymbols(List<Symbol> functions) {
  private static final int SYMBOL = 18;
  private static final int EXTERNAL = 2;
  private static final int STATIC = 3;
  private static final int FUNCTION = 0x20;
  private static final int MOST_NAME = 4096;

  /**
   * A function.
   *
   * @param rva its address
   * @param name as the compiler decorated it
   */
  public record Symbol(long rva, String name) {}

  /** Reads what can be read; nothing of an image without a table. */
  public static CoffSymbols of(PeImage image) {
    InputFile file = image.file().orElse(null);
    long table = image.headers().symbolTableOffset();
    long count = image.headers().symbolCount();
    if (file == null || table == 0 || table >= file.size()) {
      return new CoffSymbols(List.of());
    }
    count = Math.min(count, Math.min((file.size() - table) / SYMBOL, Integer.MAX_VALUE / SYMBOL));
    List<Symbol> functions = new ArrayList<>();
    try {
      read(image, file, table, (int) count, functions);
    } catch (DamagedInput e) {
      image.fileGap(table, (long) SYMBOL * count, "COFF symbols", e.what());
    }
    return new CoffSymbols(List.copyOf(functions));
  }

  private static void read(
      PeImage image, InputFile file, long table, int count, List<Symbol> functions) {
    Bytes symbols = file.window(table, SYMBOL * count);
    long strings = table + (long) SYMBOL * image.headers().symbolCount();
    Map<Integer, Section> code = new HashMap<>();
    for (Section section : image.sections()) {
      if (section.is(Section.EXECUTE)) {
        code.put(section.number(), section);
      }
    }
    for (int i = 0; i < count; i += 1 + symbols.u8(SYMBOL * i + 17)) {
      int at = SYMBOL * i;
      Section section = code.get(symbols.u16(at + 12));
      int storage = symbols.u8(at + 16);
      boolean isFunction = symbols.u16(at + 14) == FUNCTION;
      boolean counts = storage == EXTERNAL || storage == STATIC && isFunction;
      if (section != null && counts) {
        String name = name(file, symbols, at, strings);
        if (!name.isEmpty()) {
          functions.add(new Symbol(section.rva() + symbols.u32(at + 8), name));
        }
      }
    }
  }

  /** Reads a name: eight characters, or an offset into the strings after the table. */
  private static String name(InputFile file, Bytes symbols, int at, long strings) {
    if (symbols.i32(at) != 0) {
      return symbols.latin1z(at, at + 8);
    }
    long offset = strings + symbols.u32(at + 4);
    int most = Math.clamp(file.size() - offset, 0, MOST_NAME);
    return most == 0 ? "" : file.window(offset, most).utf8z(0, most);
  }
}
