package io.ntrail.formats.pe;

import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Imports of an image: at load time (IMAGE_IMPORT_DESCRIPTOR), at the first call
 * (IMAGE_DELAYLOAD_DESCRIPTOR), and the modules it was bound to (IMAGE_BOUND_IMPORT_DESCRIPTOR).
 *
 * @param modules in the order of the directories, the delay-loaded ones after the others
 * @param bound entries of the bound import directory
 */
public record Imports(List<Module> modules, List<Bound> bound) {
  /** The stamp of a module whose binding is described in the bound import directory. */
  public static final long BOUND_NEW_STYLE = 0xFFFF_FFFFL;

  private static final int MOST_CHARS = 4096;
  private static final int MOST_CHARS_OF_ALL = 1 << 25;
  private static final int MOST_MODULES = 65_536;
  private static final int MOST_SYMBOLS = 1 << 20;
  private static final int DESCRIPTOR = 20;

  /** Rows behind the end of a list that are looked at, and characters of a name of a file. */
  private static final int MOST_BEHIND = 256;

  private static final int MOST_NAME = 64;
  private static final int DELAY_DESCRIPTOR = 32;

  /**
   * The imports from one module.
   *
   * @param name as written, with extension
   * @param delay whether it is loaded at the first call
   * @param timestamp 0, or that of the module it was bound to; FFFFFFFF: see the bound imports
   * @param namesRva OriginalFirstThunk, or INT of a delayed one; 0 if there is none
   * @param addressesRva FirstThunk, or IAT of a delayed one
   * @param handleRva of a delayed one where the loaded module's handle goes, else 0
   * @param symbols in the order of the tables
   */
  public record Module(
      String name,
      boolean delay,
      long timestamp,
      long forwarderChain,
      long namesRva,
      long addressesRva,
      long handleRva,
      List<Symbol> symbols) {}

  /**
   * One import.
   *
   * @param name null: by ordinal
   * @param ordinal the ordinal, or of a named one the hint: its index in the exporter's names
   * @param slot RVA of its entry in the address table, through which it is called
   */
  public record Symbol(@Nullable String name, int ordinal, long slot) {}

  /**
   * A module that the addresses in the file were computed from.
   *
   * @param forwarders modules that it forwards to, which had to be the same too
   */
  public record Bound(String module, long timestamp, List<Bound> forwarders) {}

  /** Reads them all. */
  public static Imports of(PeImage image) {
    Reader reader = new Reader(image);
    List<Module> modules = new ArrayList<>();
    Range imports = image.directory(DataDirectory.IMPORT);
    if (imports.isPresent()) {
      image.reading("imports", imports.rva(), true, () -> reader.imports(imports, modules));
    }
    Range delayed = image.directory(DataDirectory.DELAY_IMPORT);
    if (delayed.isPresent()) {
      image.reading("delay imports", delayed.rva(), true, () -> reader.delayed(delayed, modules));
    }
    List<Bound> bound = new ArrayList<>();
    Range binding = image.directory(DataDirectory.BOUND_IMPORT);
    if (binding.isPresent()) {
      image.reading("bound imports", binding.rva(), true, () -> reader.bound(binding, bound));
    }
    return new Imports(List.copyOf(modules), List.copyOf(bound));
  }

  /** The number of imports. */
  public long count() {
    return modules.stream().mapToLong(module -> module.symbols().size()).sum();
  }

  private static final class Reader {
    private final PeImage image;
    private final ImageView view;
    private final int word;
    private int charsLeft = MOST_CHARS_OF_ALL;

    /** Tables that overlap could make a small image have a million of them. */
    private int symbolsLeft;

    Reader(PeImage image) {
      this.image = image;
      this.view = image.view();
      this.word = image.headers().pointerBytes();
      this.symbolsLeft = (int) Math.min(MOST_SYMBOLS, 1 + view.storedBytes() / word);
    }

    /**
     * The list ends where a name or the address table is missing; what else is there is garbage,
     * unless it is modules again.
     */
    boolean imports(Range range, List<Module> modules) {
      for (long at = range.rva(); ; at += DESCRIPTOR) {
        long name = view.u32(at + 12);
        long addresses = view.u32(at + 16);
        if (name == 0 || addresses == 0) {
          checkBehind(range, at, DESCRIPTOR, 12, 16);
          return true;
        }
        if (isTooMuch(modules, at)) {
          return false;
        }
        long names = view.u32(at);
        long timestamp = view.u32(at + 4);
        modules.add(
            new Module(
                moduleName(at, name),
                false,
                timestamp,
                view.u32(at + 8),
                names,
                addresses,
                0,
                symbols(at, names, addresses, timestamp != 0, 0)));
      }
    }

    boolean delayed(Range range, List<Module> modules) {
      for (long at = range.rva(); ; at += DELAY_DESCRIPTOR) {
        long name = view.u32(at + 4);
        if (name == 0) {
          checkBehind(range, at, DELAY_DESCRIPTOR, 4, 12);
          return true;
        }
        if (isTooMuch(modules, at)) {
          return false;
        }
        // Visual C++ 6 wrote addresses where the others write RVAs.
        long base = (view.u32(at) & 1) != 0 ? 0 : image.headers().imageBase();
        long addresses = unbased(view.u32(at + 12), base);
        long names = unbased(view.u32(at + 16), base);
        modules.add(
            new Module(
                moduleName(at, unbased(name, base)),
                true,
                view.u32(at + 28),
                0,
                names,
                addresses,
                unbased(view.u32(at + 8), base),
                symbols(at, names, addresses, true, base)));
      }
    }

    /**
     * Reports a list that ends before modules: many linkers write other tables behind it and count
     * them to the directory, but no names of modules where those of a list would be.
     *
     * @param end row that ends it
     * @param row bytes of a row
     * @param name offset of the name in a row
     * @param addresses offset of the address table in a row
     */
    private void checkBehind(Range range, long end, int row, int name, int addresses) {
      long room = Math.min(range.rva() + range.size(), end + view.stored(end)) - end;
      long lost = 0;
      long last = Math.min(room / row, MOST_BEHIND);
      for (long i = 1; i < last; i++) {
        long at = end + i * row;
        if (view.has(view.u32(at + addresses), word) && isModuleName(view.u32(at + name))) {
          lost++;
        }
      }
      if (lost > 0) {
        image.gap(
            end,
            row,
            "imports",
            "the list ends before " + lost + " more modules that the directory names");
      }
    }

    /** {@code KERNEL32.dll}: printable, with an extension. */
    private boolean isModuleName(long rva) {
      if (!view.has(rva, 1)) {
        return false;
      }
      String text = view.text(rva, MOST_NAME);
      int dot = text.lastIndexOf('.');
      return dot > 0 && dot < text.length() - 1 && text.chars().allMatch(c -> c > ' ' && c < 0x7F);
    }

    private boolean isTooMuch(List<Module> modules, long at) {
      if (modules.size() < MOST_MODULES && symbolsLeft > 0 && charsLeft > 0) {
        return false;
      }
      image.gap(at, -1, "imports", "too many modules and names; the rest is skipped");
      return true;
    }

    private static long unbased(long address, long base) {
      return address == 0 ? 0 : address - base & 0xFFFF_FFFFL;
    }

    private String moduleName(long at, long rva) {
      return image.reading("name of an imported module", at, "", () -> text(rva));
    }

    /**
     * The table of names, or the table of addresses where there is none.
     *
     * @param descriptor that names the tables
     * @param mayBeBound whether the table of addresses may hold addresses in the file already
     */
    private List<Symbol> symbols(
        long descriptor, long names, long addresses, boolean mayBeBound, long base) {
      boolean byNames = names != 0 && view.has(names, word);
      if (!byNames && mayBeBound && !isOfNames(addresses, base)) {
        image.gap(
            descriptor,
            -1,
            "imports",
            "the names of what is imported from this module are not in the image");
        return List.of();
      }
      long table = byNames ? names : addresses;
      List<Symbol> symbols = new ArrayList<>();
      image.reading("imports", table, true, () -> symbols(table, addresses, base, symbols));
      return List.copyOf(symbols);
    }

    /**
     * Returns true if the entries of an address table are ordinals and names, not addresses: then
     * the stamp that says so is not that of a module. True for an empty table.
     */
    private boolean isOfNames(long table, long base) {
      for (long i = 0; i < MOST_BEHIND && view.has(table + word * i, word); i++) {
        long thunk = view.pointer(table + word * i, word);
        if (thunk == 0) {
          return true;
        }
        boolean isOrdinal = word == 8 ? thunk >>> 16 == 1L << 47 : thunk >>> 16 == 0x8000;
        long rva = unbased(thunk, base);
        if (!isOrdinal && (thunk >>> 32 != 0 || !isName(rva + 2))) {
          return false;
        }
      }
      return view.has(table, word);
    }

    private boolean isName(long rva) {
      if (!view.has(rva, 1)) {
        return false;
      }
      String text = view.text(rva, MOST_CHARS);
      return !text.isEmpty() && text.chars().allMatch(c -> c >= ' ' && c < 0x7F);
    }

    private boolean symbols(long table, long addresses, long base, List<Symbol> symbols) {
      for (long i = 0; symbolsLeft > 0; i++) {
        long thunk = view.pointer(table + word * i, word);
        if (thunk == 0) {
          return true;
        }
        symbolsLeft--;
        long slot = addresses + word * i;
        if (word == 8 ? thunk < 0 : (thunk & 0x8000_0000L) != 0) {
          symbols.add(new Symbol(null, (int) (thunk & 0xFFFF), slot));
        } else {
          long rva = unbased(thunk, base);
          symbols.add(new Symbol(text(rva + 2), view.u16(rva), slot));
        }
      }
      return false;
    }

    /** Bound imports: names are offsets from the start of the directory. */
    boolean bound(Range range, List<Bound> bound) {
      long at = range.rva();
      while (view.u32(at) != 0 || view.u16(at + 4) != 0) {
        if (bound.size() >= MOST_MODULES || charsLeft <= 0) {
          return false;
        }
        int count = view.u16(at + 6);
        long next = at + 8;
        List<Bound> forwarders = new ArrayList<>();
        for (int i = 0; i < count && charsLeft > 0; i++, next += 8) {
          forwarders.add(bound(range, next, List.of()));
        }
        bound.add(bound(range, at, List.copyOf(forwarders)));
        at = next;
      }
      return true;
    }

    private Bound bound(Range range, long at, List<Bound> forwarders) {
      // Even an empty name costs something, or tables of them would never end.
      charsLeft--;
      return new Bound(text(range.rva() + view.u16(at + 4)), view.u32(at), forwarders);
    }

    private String text(long rva) {
      String text = view.text(rva, Math.clamp(charsLeft, 0, MOST_CHARS));
      charsLeft -= text.length();
      return text;
    }
  }
}
