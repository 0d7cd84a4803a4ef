package io.ntrail.formats.pdb;

import static io.ntrail.formats.pdb.codeview.SymbolKind.S_GPROC32;
import static io.ntrail.formats.pdb.codeview.SymbolKind.S_INLINESITE;
import static io.ntrail.formats.pdb.codeview.SymbolKind.S_LPROC32;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.decoration.Undecorator;
import io.ntrail.formats.pdb.SectionContributions.Contribution;
import io.ntrail.formats.pdb.codeview.CodeViewCursor;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.codeview.Symbol.InlineSite;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.formats.pdb.codeview.Symbol.Trampoline;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Answers of llvm-symbolizer 14.0.6 for addresses, computed from the records of a PDB by its rules
 * (NativeSession, SymbolCache, NativeFunctionSymbol and NativeInlineSiteSymbol of its
 * DebugInfo/PDB/Native, DemangleName of its Symbolize.cpp): so that a difference to its recorded
 * answers can be laid at the door of one of these rules. Lines and annotations are read here a
 * second time, apart from the readers under test.
 */
final class LlvmSymbolizer {
  /** An entry of its line table. */
  private record Entry(long rva, int line, long file, boolean terminal) {}

  /** The lines of a stretch of code, as they are stored: blocks of one file each. */
  private record Stretch(long begin, long end, int blocks, List<Entry> rows) {}

  /** A frame as it is printed: function, file and line. */
  record Answer(String function, String file, int line) {
    @Override
    public String toString() {
      return function + " @ " + (file.isEmpty() ? "??:0" : file + ":" + line);
    }
  }

  private record Owned(long end, int module) {}

  private record Inlinee(long file, int line) {}

  /** Contents of one module's stream. */
  private record Module(
      List<Procedure> procedures,
      List<Trampoline> jumps,
      Map<Long, List<InlineSite>> sites,
      List<Entry> lines,
      List<Stretch> stretches,
      Map<Long, Inlinee> inlinees,
      List<Bytes> imports,
      Map<Long, Long> exports,
      @Nullable Bytes checksums) {}

  private final PdbFile pdb;
  private final boolean is32Bit;
  private final TreeMap<Long, Owned> owners = new TreeMap<>();
  private final Map<Integer, Module> modules = new HashMap<>();
  private final List<Public> publics = new ArrayList<>();

  LlvmSymbolizer(PdbFile pdb) {
    this.pdb = pdb;
    this.is32Bit = pdb.header().orElseThrow().machine() == 0x14C;
    SectionContributions contributions = pdb.contributions();
    for (int i = 0; i < contributions.count(); i++) {
      Contribution c = contributions.get(i);
      long begin = pdb.rva(c.section(), c.offset());
      Map.Entry<Long, Owned> before = owners.lowerEntry(begin + c.size());
      boolean overlaps = before != null && before.getValue().end > begin;
      if (c.size() > 0 && begin >= 0 && !overlaps) {
        owners.put(begin, new Owned(begin + c.size(), c.module()));
      }
    }
    PublicSymbols all = pdb.publics().orElseThrow();
    for (int i = 0; i < all.count(); i++) {
      publics.add(all.get(i));
    }
  }

  /** The module that contributed an address, -1: none. */
  int owner(long rva) {
    Map.Entry<Long, Owned> entry = owners.floorEntry(rva);
    return entry == null || entry.getValue().end <= rva ? -1 : entry.getValue().module;
  }

  /** The answer, the innermost frame first. */
  List<Answer> at(long rva) {
    int owner = owner(rva);
    Optional<Module> module = owner < 0 ? Optional.empty() : module(owner);
    Optional<Procedure> procedure = module.flatMap(m -> procedure(m, rva));
    Entry entry = module.map(m -> line(m, rva)).orElse(null);
    Answer outermost =
        new Answer(
            function(procedure, rva),
            entry == null ? "" : file(module.orElseThrow(), entry.file),
            entry == null ? 0 : entry.line);
    List<Answer> frames = new ArrayList<>();
    if (procedure.isPresent()) {
      long offset = rva - begin(procedure.get());
      for (InlineSite site : sites(module.get(), procedure.get(), offset)) {
        Inlinee inlinee = module.get().inlinees.get(site.inlinee());
        if (inlinee == null) {
          break;
        }
        long[] moved = lineAndFile(site.annotations(), offset);
        long file = moved[1] == 0 ? inlinee.file : moved[1];
        frames.add(
            new Answer(
                text(pdb.typeNames().function(site.inlinee()).orElse("")),
                file(module.get(), file),
                inlinee.line + (int) moved[0]));
      }
    }
    frames.add(outermost);
    return frames;
  }

  /** The public symbol before an address, however far away, if it is at the function's begin. */
  private String function(Optional<Procedure> procedure, long rva) {
    return nearestPublic(rva)
        .filter(p -> procedure.isEmpty() || begin(procedure.get()) == rva(p))
        .map(p -> text(p.name()))
        .orElseGet(() -> procedure.map(p -> text(p.name())).orElse(""));
  }

  /** The public symbol that is the nearest one before an address, however far away. */
  Optional<Public> nearestPublic(long rva) {
    int section = 0;
    for (PdbSection s : pdb.sections()) {
      section = s.rva() <= rva ? s.number() : section;
    }
    long offset = section == 0 ? rva : rva - pdb.sections().get(section - 1).rva();
    int low = 0;
    int high = publics.size();
    while (low < high) {
      int middle = low + high >>> 1;
      Public p = publics.get(middle);
      if (p.section() < section || p.section() == section && p.offset() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? Optional.empty() : Optional.of(publics.get(low - 1));
  }

  /** All publics of an address in its words. */
  List<String> publicsAt(long rva) {
    return publics.stream().filter(p -> rva(p) == rva).map(p -> text(p.name())).toList();
  }

  /** Returns the RVA of a public symbol. */
  long rva(Public symbol) {
    return pdb.rva(symbol.section(), symbol.offset());
  }

  /** Returns true if an address lies in a procedure of the module that contributed it. */
  boolean inFunction(long rva) {
    return module(owner(rva)).flatMap(m -> procedure(m, rva)).isPresent();
  }

  /**
   * Returns true if an address lies in a thunk of incremental linking, of the module that has it.
   */
  boolean isJump(long rva) {
    return module(owner(rva)).map(Module::jumps).orElse(List.of()).stream()
        .anyMatch(jump -> {
          long begin = pdb.rva(jump.section(), jump.offset());
          return rva >= begin && rva < begin + jump.length();
        });
  }

  /** Returns true if a procedure starts in a range, of the module that contributed its end. */
  boolean hasFunction(long from, long to) {
    return module(owner(to)).map(Module::procedures).orElse(List.of()).stream()
        .anyMatch(p -> begin(p) >= from && begin(p) < to);
  }

  private long begin(Procedure procedure) {
    return pdb.rva(procedure.section(), procedure.offset());
  }

  /** DemangleName: Rust's names in the manner of Itanium, Microsoft's C++, decorated C. */
  String text(String name) {
    if (name.startsWith("_ZN")) {
      return rust(name);
    }
    if (name.startsWith("?")) {
      return Undecorator.of(name, Undecorator.Style.NAME).orElse(name);
    }
    if (!is32Bit) {
      return name;
    }
    String rest = name.replaceFirst("@\\d*$", "");
    boolean vector = !rest.equals(name) && rest.endsWith("@");
    return vector ? rest.substring(0, rest.length() - 1) : rest.replaceFirst("^[_@]", "");
  }

  private static String rust(String name) {
    List<String> parts = new ArrayList<>();
    for (int at = 3; at < name.length() && Character.isDigit(name.charAt(at)); ) {
      int digits = at;
      while (Character.isDigit(name.charAt(digits))) {
        digits++;
      }
      int end = digits + Integer.parseInt(name.substring(at, digits));
      parts.add(name.substring(digits, end));
      at = end;
    }
    return String.join("::", parts);
  }

  private Optional<Procedure> procedure(Module module, long rva) {
    return module.procedures.stream()
        .filter(p -> rva >= begin(p) && rva < begin(p) + p.length())
        .findFirst();
  }

  private Optional<Module> module(int number) {
    PdbModule module = pdb.modules().get(number);
    return pdb.stream(module)
        .map(stream -> modules.computeIfAbsent(number, _ -> read(module, stream)));
  }

  private Module read(PdbModule module, MsfStream stream) {
    List<Procedure> procedures = new ArrayList<>();
    List<Trampoline> jumps = new ArrayList<>();
    Map<Long, List<InlineSite>> sites = new HashMap<>();
    Procedure procedure = null;
    CodeViewCursor cursor = new CodeViewCursor(stream, 4, module.symbolBytes());
    while (cursor.next()) {
      if (cursor.kind() == S_LPROC32 || cursor.kind() == S_GPROC32) {
        if (procedure == null || cursor.offset() > procedure.end()) {
          procedure = (Procedure) Symbol.of(cursor);
          procedures.add(procedure);
        }
      } else if (Symbol.of(cursor) instanceof Trampoline jump) {
        jumps.add(jump);
      } else if (cursor.kind() == S_INLINESITE && procedure != null) {
        sites
            .computeIfAbsent(procedure.at(), _ -> new ArrayList<>())
            .add((InlineSite) Symbol.of(cursor));
      }
    }
    List<List<Entry>> groups = new ArrayList<>();
    List<Stretch> stretches = new ArrayList<>();
    Map<Long, Inlinee> inlinees = new HashMap<>();
    List<Bytes> imports = new ArrayList<>();
    Map<Long, Long> exports = new HashMap<>();
    Bytes checksums = null;
    MsfStream c13 = stream.part(module.c13Begin(), module.c13Bytes());
    for (long at = 0; at + 8 <= c13.length(); ) {
      int size = (int) c13.u32(at + 4);
      Bytes part = c13.window(at + 8, size);
      switch (c13.i32(at)) {
        case 0xF2 -> stretches.add(lines(part, groups));
        case 0xF4 -> checksums = part;
        case 0xF6 -> {
          for (int i = 4; part.has(i, 12); i += 12) {
            inlinees.putIfAbsent(part.u32(i), new Inlinee(part.u32(i + 4), part.i32(i + 8)));
            if (part.u32(0) == 1) {
              i += 4 + 4 * (int) part.u32(i + 12);
            }
          }
        }
        case 0xF7 -> imports.add(part);
        case 0xF8 -> {
          for (int i = 0; part.has(i, 8); i += 8) {
            exports.put(part.u32(i), part.u32(i + 4));
          }
        }
        default -> {}
      }
      at += 8 + size + 3 & ~3L;
    }
    UnstableSort.byBegin(groups);
    List<Entry> lines = groups.stream().flatMap(List::stream).toList();
    return new Module(
        procedures, jumps, sites, lines, stretches, inlinees, imports, exports, checksums);
  }

  /** Each block of lines of one file becomes a run of its own, with an end of its own. */
  private Stretch lines(Bytes part, List<List<Entry>> groups) {
    long begin = pdb.rva(part.u16(4), part.u32(0));
    List<Entry> rows = new ArrayList<>();
    int blocks = 0;
    for (int at = 12; part.has(at, 12); at += (int) part.u32(at + 8)) {
      long file = part.u32(at);
      int count = (int) part.u32(at + 4);
      if (count == 0) {
        continue;
      }
      blocks++;
      List<Entry> group = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int line = (int) part.u32(at + 12 + 8 * i + 4) & 0xFF_FFFF;
        if (i == 0) {
          group.add(new Entry(begin, line, file, false));
        }
        Entry row = new Entry(begin + part.u32(at + 12 + 8 * i), line, file, false);
        group.add(row);
        rows.add(row);
        if (i == count - 1) {
          group.add(new Entry(begin + part.u32(8), line, file, true));
        }
      }
      groups.add(group);
    }
    return new Stretch(begin, begin + part.u32(8), blocks, rows);
  }

  private static @Nullable Entry line(Module module, long rva) {
    List<Entry> lines = module.lines;
    int first = 0;
    for (int length = lines.size(); length > 0; ) {
      int half = length / 2;
      Entry e = lines.get(first + half);
      if (e.rva < rva || e.rva == rva && e.terminal) {
        first += half + 1;
        length -= half + 1;
      } else {
        length = half;
      }
    }
    if (first == lines.size() || lines.get(first).rva > rva) {
      if (first == 0 || lines.get(first - 1).terminal) {
        return null;
      }
      first--;
    }
    return lines.get(first);
  }

  private String file(Module module, long file) {
    return module.checksums == null ? "" : pdb.names().text(module.checksums.u32((int) file));
  }

  /** Line rows of an address, as stored. */
  record Rows(List<String> places, int blocks, boolean severalBegin) {}

  /**
   * Returns the rows of an address: of each code range with it the last row that does not begin
   * after it, whatever block it is in.
   */
  Rows rows(long rva) {
    List<String> places = new ArrayList<>();
    int blocks = 0;
    boolean severalBegin = false;
    Optional<Module> module = owner(rva) < 0 ? Optional.empty() : module(owner(rva));
    for (Stretch stretch : module.map(Module::stretches).orElse(List.of())) {
      if (rva >= stretch.begin && rva < stretch.end) {
        Entry last = null;
        for (Entry row : stretch.rows) {
          severalBegin |= last != null && row.rva == rva && last.rva == rva;
          last = row.rva <= rva && (last == null || row.rva >= last.rva) ? row : last;
        }
        if (last != null) {
          places.add(file(module.orElseThrow(), last.file) + ":" + last.line);
        }
        blocks = Math.max(blocks, stretch.blocks);
      }
    }
    return new Rows(places, blocks, severalBegin);
  }

  /** The stack by what the annotations mean, and whether llvm sees all its sites. */
  record Inlined(List<Answer> frames, boolean allSeen) {}

  Inlined inlined(long rva) {
    List<Answer> frames = new ArrayList<>();
    Optional<Module> module = owner(rva) < 0 ? Optional.empty() : module(owner(rva));
    Optional<Procedure> procedure = module.flatMap(m -> procedure(m, rva));
    boolean allSeen = true;
    if (procedure.isPresent()) {
      Module m = module.get();
      long offset = rva - begin(procedure.get());
      long from = 0;
      for (InlineSite site : m.sites.getOrDefault(procedure.get().at(), List.of())) {
        Inlinee inlinee = m.inlinees.get(site.inlinee());
        long[] row =
            site.at() < from || inlinee == null
                ? null
                : row(site.annotations(), offset, procedure.get().length());
        if (row != null && inlinee != null) {
          frames.addFirst(
              new Answer(
                  text(inlinee(m, site.inlinee())),
                  file(m, row[1] == 0 ? inlinee.file : row[1]),
                  inlinee.line + (int) row[0]));
          allSeen &= contains(site.annotations(), offset);
        } else if (site.at() >= from) {
          from = site.end();
        }
      }
    }
    return new Inlined(frames, allSeen);
  }

  /** The name of an inlined function; with bit 31 it is another module's. */
  private String inlinee(Module module, long item) {
    if (item < 0x8000_0000L) {
      return pdb.typeNames().function(item).orElse("");
    }
    Bytes table = module.imports.getFirst();
    int at = 0;
    for (long skip = item >> 20 & 0x7FF; skip > 0; skip--) {
      at += 8 + 4 * (int) table.u32(at + 4);
    }
    String from = pdb.names().text(table.u32(at)).toLowerCase(Locale.ROOT);
    long local = table.u32(at + 8 + 4 * (int) (item & 0xF_FFFF));
    for (PdbModule other : pdb.modules()) {
      if (other.name().toLowerCase(Locale.ROOT).equals(from)) {
        return Optional.ofNullable(module(other.number()).orElseThrow().exports.get(local))
            .flatMap(pdb.typeNames()::function)
            .orElse("");
      }
    }
    return "";
  }

  /** Line and file of the last row that has an offset; a row without a length ends at the next. */
  private static long @Nullable [] row(Bytes program, long offset, long end) {
    // Begin, end (-1: open), line, file.
    List<long[]> rows = new ArrayList<>();
    long[] state = {0, 0, 0};
    walk(
        program,
        (operation, unsigned, signed, second) -> {
          switch (operation) {
            case 1 -> state[0] = unsigned;
            case 3, 11, 12 -> {
              state[1] += signed;
              state[0] += operation == 12 ? second : unsigned;
              if (!rows.isEmpty() && rows.getLast()[1] < 0) {
                rows.getLast()[1] = state[0];
              }
              long stop = operation == 12 ? state[0] + unsigned : -1;
              rows.add(new long[] {state[0], stop, state[1], state[2]});
            }
            case 4 -> {
              rows.stream().skip(Math.max(0, rows.size() - 1)).forEach(r -> r[1] = r[0] + unsigned);
              state[0] += unsigned;
            }
            case 5 -> state[2] = unsigned;
            case 6 -> state[1] += signed;
            default -> {}
          }
          return true;
        });
    for (long[] row : rows.reversed()) {
      if (offset >= row[0] && offset < (row[1] < 0 ? end : row[1])) {
        return new long[] {row[2], row[3]};
      }
    }
    return null;
  }

  /** One site of each depth, the innermost first. */
  private static List<InlineSite> sites(Module module, Procedure procedure, long offset) {
    List<InlineSite> found = new ArrayList<>();
    long from = procedure.at();
    long end = procedure.end();
    for (InlineSite site : module.sites.getOrDefault(procedure.at(), List.of())) {
      if (site.at() >= from && site.at() < end) {
        if (contains(site.annotations(), offset)) {
          found.addFirst(site);
          end = site.end();
        } else {
          from = site.end();
        }
      }
    }
    return found;
  }

  private interface Step {
    /** Takes an annotation; returns false to stop. */
    boolean take(int operation, long unsigned, long signed, long second);
  }

  private static void walk(Bytes program, Step step) {
    int[] at = {0};
    while (at[0] < program.length()) {
      int operation = (int) number(program, at);
      long unsigned = 0;
      long signed = 0;
      long second = 0;
      switch (operation) {
        case 0 -> {
          return;
        }
        case 6, 10 -> signed = signed(number(program, at));
        case 11 -> {
          long both = number(program, at);
          signed = signed(both >> 4);
          unsigned = both & 15;
        }
        case 12 -> {
          unsigned = number(program, at);
          second = number(program, at);
        }
        default -> unsigned = number(program, at);
      }
      if (!step.take(operation, unsigned, signed, second)) {
        return;
      }
    }
  }

  private static long number(Bytes program, int[] at) {
    int first = program.u8(at[0]);
    int bytes = first < 0x80 ? 1 : first < 0xC0 ? 2 : 4;
    long value = first & (bytes == 1 ? 0x7F : bytes == 2 ? 0x3F : 0x1F);
    for (int i = 1; i < bytes; i++) {
      value = value << 8 | program.u8(at[0] + i);
    }
    at[0] += bytes;
    return value;
  }

  private static long signed(long value) {
    return (value & 1) == 0 ? value >> 1 : -(value >> 1);
  }

  /** inlineSiteContainsAddress: rows end where a length is said, and nowhere else. */
  static boolean contains(Bytes program, long offset) {
    boolean[] state = {false, false};
    long[] code = {0};
    walk(
        program,
        (operation, unsigned, _, second) -> {
          switch (operation) {
            case 1, 3, 11 -> {
              code[0] += unsigned;
              state[0] |= offset >= code[0];
            }
            case 4 -> {
              code[0] += unsigned;
              state[1] = state[0] && offset < code[0];
              state[0] = false;
            }
            case 12 -> {
              code[0] += second;
              state[1] = offset >= code[0] && offset < code[0] + unsigned;
              state[0] = false;
            }
            default -> {}
          }
          return !state[1];
        });
    return state[1];
  }

  /** getLineOffset: stops when it has come to the address or after it. */
  private static long[] lineAndFile(Bytes program, long offset) {
    long[] lineAndFile = {0, 0};
    long[] code = {0};
    walk(
        program,
        (operation, unsigned, signed, second) -> {
          switch (operation) {
            case 1, 3, 4 -> code[0] += unsigned;
            case 12 -> code[0] += second;
            case 6, 11 -> {
              code[0] += unsigned;
              lineAndFile[0] += signed;
            }
            case 5 -> lineAndFile[1] = unsigned;
            default -> {}
          }
          return code[0] < offset;
        });
    return lineAndFile;
  }

  /**
   * Sorts as std::sort of libstdc++ does, which leaves what is equal in an order of its own: the
   * answers depend on it where several blocks of lines begin at one address.
   */
  private static final class UnstableSort {
    private static final int FEW = 16;

    private final List<List<Entry>> list;

    private UnstableSort(List<List<Entry>> list) {
      this.list = list;
    }

    static void byBegin(List<List<Entry>> list) {
      UnstableSort sort = new UnstableSort(list);
      sort.partition(0, list.size());
      sort.insert(list.size());
    }

    private static long key(List<Entry> group) {
      return group.getFirst().rva;
    }

    private boolean less(int a, int b) {
      return key(list.get(a)) < key(list.get(b));
    }

    private void partition(int first, int behind) {
      int end = behind;
      while (end - first > FEW) {
        medianToFirst(first, first + 1, first + (end - first) / 2, end - 1);
        int cut = cut(first + 1, end, key(list.get(first)));
        partition(cut, end);
        end = cut;
      }
    }

    private void medianToFirst(int result, int a, int b, int c) {
      int median;
      if (less(a, b)) {
        median = less(b, c) ? b : less(a, c) ? c : a;
      } else {
        median = less(a, c) ? a : less(b, c) ? c : b;
      }
      Collections.swap(list, result, median);
    }

    private int cut(int first, int behind, long pivot) {
      int low = first;
      int high = behind;
      while (true) {
        while (key(list.get(low)) < pivot) {
          low++;
        }
        high--;
        while (pivot < key(list.get(high))) {
          high--;
        }
        if (low >= high) {
          return low;
        }
        Collections.swap(list, low++, high);
      }
    }

    private void insert(int count) {
      for (int i = 1; i < count; i++) {
        List<Entry> group = list.remove(i);
        int at = i;
        while (at > 0 && key(group) < key(list.get(at - 1))) {
          at--;
        }
        list.add(at, group);
      }
    }
  }
}
