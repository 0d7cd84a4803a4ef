package io.ntrail.programs.image;

import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongLongMap;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.CoffSymbols;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.LoadConfig.GuardEntry;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.image.ImageFunction.Source;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * All known functions of an image: the first parts in the function table (x64), exports in
 * executable sections and the guard table, and those of symbols, by address, each once.
 *
 * <p>Functions without any evidence (of x64 those that need no unwind information, of x86 most) are
 * missing; {@link ImageFunction#end} of one in front of them is too far away then unless it is
 * bounded.
 *
 * <p>Code of x64 may lie apart from the first part of its function, in ranges of the function table
 * whose unwind information is chained to that: {@link #parts}. A range that continues a function
 * that nobody lists, as in damaged tables, is a function of its own: {@link #missingOwner}.
 */
public final class ImageFunctions {
  private static final List<Set<Source>> SETS = sets();

  /** The sources that have names, as bits. */
  private static final int NAMED =
      ~(1 << Source.FUNCTION_TABLE.ordinal()
          | 1 << Source.GUARD_TABLE.ordinal()
          | 1 << Source.FRAME_DATA.ordinal());

  private final PeImage image;
  private final CodeRanges code;
  private final long[] rvas;
  private final byte[] sources;
  private final byte[] guards;
  private final Map<Long, List<String>> names;
  private final LongLongMap lengths;
  private final List<ImageFunction> list = new Functions();

  /** All ranges of the function table by start, and the furthest end of those up to each. */
  private final long[] partBegins;

  private final long[] partEnds;
  private final long[] partOwners;
  private final long[] reach;

  /**
   * The ranges of the function table as entries, and the numbers of those that continue a function,
   * by owner and address.
   */
  private final List<RuntimeFunction> table;

  private final int[] byOwner;

  /** By start of a range the start of the function that it continues and that is not there. */
  private final LongLongMap missingOwners;

  private ImageFunctions(PeImage image, Collector from) {
    this.image = image;
    this.code = from.code;
    this.rvas = from.distinct();
    this.sources = new byte[rvas.length];
    this.guards = new byte[rvas.length];
    this.names = from.names;
    names.replaceAll((_, its) -> List.copyOf(its));
    this.lengths = from.lengths;
    from.mark(rvas, sources, guards);
    List<RuntimeFunction> parts = from.table.entries();
    this.partOwners = from.owners;
    this.missingOwners = from.missingOwners;
    this.partBegins = new long[parts.size()];
    this.partEnds = new long[parts.size()];
    this.reach = new long[parts.size()];
    for (int i = 0; i < reach.length; i++) {
      RuntimeFunction part = parts.get(i);
      partBegins[i] = part.begin();
      partEnds[i] = part.end();
      reach[i] = i == 0 ? partEnds[i] : Math.max(partEnds[i], reach[i - 1]);
    }
    this.table = parts;
    this.byOwner = byOwner(partBegins, partOwners);
  }

  /** Returns the numbers of the ranges that continue a function, by owner and address. */
  private static int[] byOwner(long[] begins, long[] owners) {
    int[] further = IntStream.range(0, owners.length).filter(i -> owners[i] != begins[i]).toArray();
    int[] order =
        RowSort.sorted(
            further.length, (a, b) -> Long.compare(owners[further[a]], owners[further[b]]));
    return Arrays.stream(order).map(i -> further[i]).toArray();
  }

  private static List<Set<Source>> sets() {
    List<Set<Source>> sets = new ArrayList<>();
    for (int bits = 0; bits < 1 << Source.values().length; bits++) {
      Set<Source> set = EnumSet.noneOf(Source.class);
      for (Source source : Source.values()) {
        if ((bits >> source.ordinal() & 1) != 0) {
          set.add(source);
        }
      }
      sets.add(Collections.unmodifiableSet(set));
    }
    return List.copyOf(sets);
  }

  /** The functions of an image. */
  public static ImageFunctions of(PeImage image) {
    return of(image, Exports.of(image), LoadConfig.of(image), FunctionTable.of(image));
  }

  /** Returns the functions of an image, with the names of its COFF symbol table. */
  public static ImageFunctions withSymbolTable(PeImage image) {
    return of(
        image,
        Exports.of(image),
        LoadConfig.of(image),
        FunctionTable.of(image),
        ofSymbolTable(image));
  }

  /** Returns the functions in the COFF symbol table of an image; it is not in memory. */
  public static List<NamedFunction> ofSymbolTable(PeImage image) {
    return CoffSymbols.of(image).functions().stream()
        .map(symbol -> new NamedFunction(symbol.rva(), 0, symbol.name(), Source.SYMBOL_TABLE))
        .toList();
  }

  /** Returns the functions of an image without symbols. */
  public static ImageFunctions of(ParsedImage contents) {
    PeImage image = contents.image();
    return of(image, contents.exports(), contents.loadConfig(), FunctionTable.of(image));
  }

  /** The functions of an image whose parts were read already. */
  public static ImageFunctions of(
      PeImage image, Exports exports, Optional<LoadConfig> config, FunctionTable table) {
    return of(image, exports, config, table, List.of());
  }

  /**
   * Returns the functions of an image and those of symbols.
   *
   * @param named those that are not in code are left out
   */
  public static ImageFunctions of(
      PeImage image,
      Exports exports,
      Optional<LoadConfig> config,
      FunctionTable table,
      List<NamedFunction> named) {
    return of(image, exports.list(), guarded(config), table, named);
  }

  /** Returns the functions of the guard table. */
  static List<GuardEntry> guarded(Optional<LoadConfig> config) {
    return config.map(LoadConfig::guardFunctions).orElse(List.of());
  }

  /** Returns the functions of some exports, entries of the guard table and of a function table. */
  static ImageFunctions of(
      PeImage image,
      List<Export> exports,
      List<GuardEntry> guarded,
      FunctionTable table,
      List<NamedFunction> named) {
    Collector collector = new Collector(CodeRanges.of(image), table);
    List<RuntimeFunction> parts = table.entries();
    for (int i = 0; i < collector.owners.length; i++) {
      RuntimeFunction entry = parts.get(i);
      collector.owners[i] = table.primary(entry).begin();
      if (!entry.indirect() && collector.owners[i] == entry.begin()) {
        collector.add(entry.begin(), Source.FUNCTION_TABLE, 0);
      }
    }
    for (Export export : exports) {
      if (export.forward() == null && collector.add(export.rva(), Source.EXPORT, 0)) {
        String name = export.name();
        collector.names(export.rva()).add(name != null ? name : "#" + export.ordinal());
      }
    }
    for (GuardEntry entry : guarded) {
      collector.add(entry.rva(), Source.GUARD_TABLE, entry.flags());
    }
    named.forEach(collector::add);
    collector.addNamesOfSymbols();
    collector.addOrphans();
    return new ImageFunctions(image, collector);
  }

  /** Returns the code of the image. */
  public CodeRanges code() {
    return code;
  }

  /** Returns the functions by address. Elements are made on demand. */
  public List<ImageFunction> list() {
    return list;
  }

  /** Returns the names of a function of the list. */
  public List<String> names(int function) {
    return (sources[function] & NAMED) == 0
        ? List.of()
        : names.getOrDefault(rvas[function], List.of());
  }

  /** Returns the start of a function of the list. */
  public long start(int function) {
    return rvas[function];
  }

  /** Returns the index of the last function that starts at or before an address, or -1. */
  public int indexUpTo(long rva) {
    return Search.floor(rvas, rvas.length, rva);
  }

  /**
   * Returns the index of the function whose code contains an address, in its first part or in
   * another one; -1 if none is known.
   */
  public int indexAt(long rva) {
    int index = indexUpTo(rva);
    if (index >= 0 && rva < function(index).end()) {
      return index;
    }
    long owner = owner(rva);
    index = owner < 0 ? -1 : indexUpTo(owner);
    return index >= 0 && rvas[index] == owner ? index : -1;
  }

  /**
   * Returns the further parts of a function, by address: ranges of the function table that are
   * chained to its first one.
   *
   * @param rva where the function starts
   */
  public List<RuntimeFunction> parts(long rva) {
    int first = Search.first(0, byOwner.length, i -> partOwners[byOwner[i]] >= rva);
    List<RuntimeFunction> parts = new ArrayList<>();
    for (int i = first; i < byOwner.length && partOwners[byOwner[i]] == rva; i++) {
      parts.add(table.get(byOwner[i]));
    }
    return parts;
  }

  /**
   * Returns the start of the function that the one at an address continues by its unwind
   * information, if no function is known to start there; -1 for all functions but those.
   */
  public long missingOwner(long rva) {
    return missingOwners.containsKey(rva) ? missingOwners.get(rva) : -1;
  }

  /**
   * Returns the furthest end of the ranges of the function table that start before an address: no
   * byte from there on to the address belongs to one. 0 if none starts before it.
   */
  public long reachBefore(long rva) {
    int i = Search.floor(partBegins, partBegins.length, rva - 1);
    return i < 0 ? 0 : reach[i];
  }

  /**
   * Returns the number of ranges of the function table, those of parts that were moved out
   * included.
   */
  public int partCount() {
    return partBegins.length;
  }

  /** Returns the start of a range of the function table; they ascend. */
  public long partBegin(int part) {
    return partBegins[part];
  }

  /** Returns the end of a range of the function table. */
  public long partEnd(int part) {
    return partEnds[part];
  }

  /**
   * Returns the start of the function whose part contains an address, by the function table; -1 if
   * none does.
   */
  public long owner(long rva) {
    int part = Search.floor(partBegins, partBegins.length, rva);
    return part >= 0 && rva < partEnds[part] ? partOwners[part] : -1;
  }

  private ImageFunction function(int i) {
    long rva = rvas[i];
    long next = codeEnd(image, code, rva);
    if (i + 1 < rvas.length) {
      next = Math.min(next, rvas[i + 1]);
    }
    int part = Search.floor(partBegins, partBegins.length, rva);
    if (part + 1 < partBegins.length) {
      // It may be a further part of another function.
      next = Math.min(next, partBegins[part + 1]);
    }
    boolean inside = reachBefore(rva) > rva;
    // The range that begins there, or of one that is inside of another the range it lies in.
    boolean bounded = part >= 0 && rva < partEnds[part];
    long length = lengths.get(rva);
    long end = bounded ? partEnds[part] : length > 0 ? rva + length : next;
    return new ImageFunction(
        rva,
        Math.min(next, end),
        bounded || length > 0,
        inside,
        names(i),
        SETS.get(sources[i]),
        guards[i] & 0xFF);
  }

  /** Returns where the code at an address ends at the latest, if no function begins before. */
  static long codeEnd(PeImage image, CodeRanges code, long rva) {
    // The last page of a section is mapped as a whole, but holds no code after its size.
    long section =
        image
            .section(rva)
            .map(s -> s.rva() + s.size())
            .filter(end -> end > rva)
            .orElse(Long.MAX_VALUE);
    return Math.min(code.end(rva), section);
  }

  private final class Functions extends AbstractList<ImageFunction> implements RandomAccess {
    @Override
    public ImageFunction get(int i) {
      if (i < 0 || i >= rvas.length) {
        throw new IndexOutOfBoundsException(i);
      }
      return function(i);
    }

    @Override
    public int size() {
      return rvas.length;
    }
  }

  /** Collects the statements of sources, before they are sorted. */
  private static final class Collector {
    private final CodeRanges code;
    private final FunctionTable table;
    private final Map<Long, List<String>> names = new HashMap<>();
    private final Map<Long, Set<String>> symbols = new HashMap<>();
    private final LongLongMap lengths = new LongLongMap();
    private final long[] owners;
    private final LongLongMap missingOwners = new LongLongMap();
    private final Columns statements = new Columns(256);
    private final LongColumn found = statements.longs();
    private final ByteColumn said = statements.bytes();
    private final ByteColumn flags = statements.bytes();

    Collector(CodeRanges code, FunctionTable table) {
      this.code = code;
      this.table = table;
      this.owners = new long[table.entries().size()];
    }

    List<String> names(long rva) {
      return names.computeIfAbsent(rva, _ -> new ArrayList<>(1));
    }

    void add(NamedFunction function) {
      if (add(function.rva(), function.source(), 0)) {
        if (function.source() != Source.FRAME_DATA) {
          symbols.computeIfAbsent(function.rva(), _ -> new LinkedHashSet<>()).add(function.name());
        }
        if (function.length() > 0) {
          long known = lengths.get(function.rva());
          lengths.put(function.rva(), Math.max(known, function.length()));
        }
      }
    }

    /** Adds the names of symbols after those of exports, without duplicates. */
    void addNamesOfSymbols() {
      symbols.forEach((rva, more) -> {
        List<String> all = names(rva);
        all.forEach(more::remove);
        all.addAll(more);
      });
    }

    /** Makes functions of ranges whose owner is not among the functions. */
    void addOrphans() {
      long[] listed = distinct();
      int next = 0;
      for (int i = 0; i < owners.length; i++) {
        // Owners mostly ascend.
        boolean isNext = next < listed.length && listed[next] == owners[i];
        int at = isNext ? next : Search.floor(listed, listed.length, owners[i]);
        next = at + 1;
        if (at >= 0 && listed[at] == owners[i]) {
          continue;
        }
        long begin = table.entries().get(i).begin();
        if (add(begin, Source.FUNCTION_TABLE, 0)) {
          missingOwners.put(begin, owners[i]);
          owners[i] = begin;
        }
      }
    }

    boolean add(long rva, Source source, int guard) {
      if (!code.contains(rva)) {
        return false;
      }
      int statement = statements.add();
      found.set(statement, rva);
      said.set(statement, (byte) (1 << source.ordinal()));
      flags.set(statement, (byte) guard);
      return true;
    }

    long[] distinct() {
      long[] sorted = Arrays.copyOf(found.array(), statements.rows());
      Arrays.sort(sorted);
      int count = 0;
      for (int i = 0; i < sorted.length; i++) {
        if (i == 0 || sorted[i] != sorted[i - 1]) {
          sorted[count++] = sorted[i];
        }
      }
      return Arrays.copyOf(sorted, count);
    }

    void mark(long[] rvas, byte[] sources, byte[] guards) {
      int next = 0;
      for (int i = 0; i < statements.rows(); i++) {
        long rva = found.get(i);
        // The statements of one source mostly ascend.
        boolean isNext = next < rvas.length && rvas[next] == rva;
        int at = isNext ? next : Search.floor(rvas, rvas.length, rva);
        sources[at] |= said.get(i);
        guards[at] |= flags.get(i);
        next = at + 1;
      }
    }
  }
}
