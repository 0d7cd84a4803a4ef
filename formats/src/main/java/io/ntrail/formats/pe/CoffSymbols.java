package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collections.Neighbors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
   * @param isFunction whether its type is that of a function; labels of assembly have none, nor
   *     have tables in sections with code
   * @param isExternal whether other files than its own may call it
   */
  public record Symbol(long rva, String name, boolean isFunction, boolean isExternal) {}

  /** Reads what can be read; nothing of an image without a table. */
  public static CoffSymbols of(PeImage image) {
    Optional<Table> table = Table.of(image);
    if (table.isEmpty()) {
      return new CoffSymbols(List.of());
    }
    Functions functions = new Functions(table.get());
    functions.table.walk(functions);
    return new CoffSymbols(List.copyOf(functions.all));
  }

  /**
   * Offers the addresses of all functions, without keeping them.
   *
   * @return the name at the floor, if this is where it comes from
   */
  public static Optional<String> nearest(PeImage image, Neighbors nearest) {
    Optional<Table> table = Table.of(image);
    int[] floor = {-1};
    table.ifPresent(symbols ->
        symbols.walk((rva, at) -> {
          if (symbols.isNamed(at) && nearest.offer(rva)) {
            floor[0] = at;
          }
        }));
    return floor[0] < 0 ? Optional.empty() : table.map(symbols -> symbols.name(floor[0]));
  }

  /** Takes functions. */
  private interface Visitor {
    /**
     * Takes one.
     *
     * @param at offset of its symbol in the table
     */
    void visit(long rva, int at);
  }

  /** Keeps all of them. */
  private static final class Functions implements Visitor {
    final Table table;
    final List<Symbol> all = new ArrayList<>();

    Functions(Table table) {
      this.table = table;
    }

    @Override
    public void visit(long rva, int at) {
      String name = table.name(at);
      if (!name.isEmpty()) {
        all.add(new Symbol(rva, name, table.isFunction(at), table.isExternal(at)));
      }
    }
  }

  /**
   * A table in a file.
   *
   * @param strings offset in the file of the long names, which follow the table
   */
  private record Table(PeImage image, InputFile file, Bytes symbols, long strings) {
    /** Returns the table of an image, as much of it as there is; empty if there is none. */
    static Optional<Table> of(PeImage image) {
      InputFile file = image.file().orElse(null);
      long at = image.headers().symbolTableOffset();
      long claimed = image.headers().symbolCount();
      if (file == null || at == 0 || at >= file.size()) {
        return Optional.empty();
      }
      long count =
          Math.min(claimed, Math.min((file.size() - at) / SYMBOL, Integer.MAX_VALUE / SYMBOL));
      return Optional.of(
          new Table(
              image, file, file.window(at, (int) count * SYMBOL), at + (long) SYMBOL * claimed));
    }

    /** Visits symbols in sections with code, up to damage, which becomes a gap. */
    void walk(Visitor visitor) {
      Map<Integer, Section> code = new HashMap<>();
      for (Section section : image.sections()) {
        if (section.is(Section.EXECUTE)) {
          code.put(section.number(), section);
        }
      }
      try {
        for (long at = 0; at < symbols.length(); at += SYMBOL * (1L + symbols.u8((int) at + 17))) {
          visit((int) at, code, visitor);
        }
      } catch (DamagedInput e) {
        image.fileGap(symbols.base(), symbols.length(), "COFF symbols", e.what());
      }
    }

    private void visit(int at, Map<Integer, Section> code, Visitor visitor) {
      Section section = code.get(symbols.u16(at + 12));
      int storage = symbols.u8(at + 16);
      if (section != null && (storage == EXTERNAL || storage == STATIC && isFunction(at))) {
        visitor.visit(section.rva() + symbols.u32(at + 8), at);
      }
    }

    boolean isFunction(int at) {
      return symbols.u16(at + 14) == FUNCTION;
    }

    boolean isExternal(int at) {
      return symbols.u8(at + 16) == EXTERNAL;
    }

    boolean isNamed(int at) {
      if (symbols.i32(at) != 0) {
        return symbols.u8(at) != 0;
      }
      long offset = strings + symbols.u32(at + 4);
      return offset < file.size() && file.window(offset, 1).u8(0) != 0;
    }

    /** Returns a name: eight characters, or that at an offset into the strings. */
    String name(int at) {
      if (symbols.i32(at) != 0) {
        return symbols.latin1z(at, at + 8);
      }
      long offset = strings + symbols.u32(at + 4);
      int most = Math.clamp(file.size() - offset, 0, MOST_NAME);
      return most == 0 ? "" : file.window(offset, most).utf8z(0, most);
    }
  }
}
