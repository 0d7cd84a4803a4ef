package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.PeImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The dynamic value relocation table (IMAGE_DYNAMIC_RELOCATION_TABLE), to which the load
 * configuration points: lists of places that the system changes when it loads the image, one list a
 * {@link Symbol}.
 *
 * <p>{@code u32 version, u32 bytes that follow}, then the lists. Version 1: symbol (as wide as a
 * pointer), u32 size. Version 2: u32 size of the list's own header, u32 size, symbol, u32 symbol
 * group, u32 flags, and whatever else the header has. They are packed without padding. The content
 * of a list is blocks as of base relocations, save for function overrides.
 *
 * <p>The records are not held: {@link #forEach} reads them anew. What is damaged is a gap of the
 * image, reported when the table is read first.
 *
 * <p>Source: ntimage.h; verified on acpi.sys and WdBoot.sys of Windows 10 for symbols 3, 4 and 5 in
 * version 1; the others are read as they are described.
 */
public final class DynamicRelocations {
  /** Tables have a handful of lists; more is nonsense that would only cost memory. */
  private static final int MOST_LISTS = 4096;

  private static final int NO_SLOT_X64 = 0x7FFFF;
  private static final int NO_SLOT_ARM64 = 0x7FFF;

  /** Subjects of lists. */
  public enum Symbol {
    GUARD_RF_PROLOGUE(1),
    GUARD_RF_EPILOGUE(2),
    GUARD_IMPORT_CONTROL_TRANSFER(3),
    GUARD_INDIR_CONTROL_TRANSFER(4),
    GUARD_SWITCHTABLE_BRANCH(5),
    ARM64X(6),
    FUNCTION_OVERRIDE(7),
    ARM64_KERNEL_IMPORT_CALL_TRANSFER(8),
    MM_SHARED_USER_DATA_VA(0x7FFE_0000L),
    KI_USER_SHARED_DATA64(0xFFFF_F780_0000_0000L),
    /** Uses of another address, see {@link Fixups#symbol}. */
    ADDRESS(-1),
    /** An undocumented number: its records are not read. */
    UNKNOWN(-1);

    private final long value;

    Symbol(long value) {
      this.value = value;
    }

    static Symbol of(long value) {
      for (Symbol symbol : values()) {
        if (symbol.value == value && symbol != ADDRESS && symbol != UNKNOWN) {
          return symbol;
        }
      }
      return Long.compareUnsigned(value, 0xFF) > 0 ? ADDRESS : UNKNOWN;
    }
  }

  /**
   * One list of places.
   *
   * @param kind meaning of the symbol
   * @param symbol as stored: a number, or an address
   * @param group SymbolGroup of version 2, else 0
   * @param flags of version 2, else 0
   * @param rva start of its records
   * @param size bytes of its records
   */
  public record Fixups(Symbol kind, long symbol, long group, long flags, long rva, long size) {
    /** {@code GUARD_SWITCHTABLE_BRANCH}, {@code 0x7ffe1000}. */
    public String name() {
      return kind == Symbol.ADDRESS || kind == Symbol.UNKNOWN
          ? String.format(Locale.ROOT, "0x%x", symbol)
          : kind.name();
    }
  }

  private final PeImage image;
  private final long version;
  private final @Nullable Bytes table;
  private final long tableRva;
  private final List<Fixups> lists;
  private final long[] counts;

  private DynamicRelocations(
      PeImage image, long version, @Nullable Bytes table, long tableRva, List<Fixups> lists) {
    this.image = image;
    this.version = version;
    this.table = table;
    this.tableRva = tableRva;
    this.lists = List.copyOf(lists);
    this.counts = new long[lists.size()];
  }

  /** Reads that of an image; one without lists if it has none. */
  public static DynamicRelocations of(PeImage image) {
    return at(
        image,
        LoadConfig.of(image)
            .map(config ->
                place(
                    image,
                    config.value(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE),
                    (int) config.value(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_SECTION),
                    config.value(LoadConfig.Field.DYNAMIC_VALUE_RELOC_TABLE_OFFSET)))
            .orElse(0L));
  }

  /**
   * Reads the table at an RVA.
   *
   * @param rva its start; 0: there is none
   */
  public static DynamicRelocations at(PeImage image, long rva) {
    DynamicRelocations none = new DynamicRelocations(image, 0, null, 0, List.of());
    if (rva == 0) {
      return none;
    }
    DynamicRelocations read =
        image.reading("dynamic relocations", rva, none, () -> read(image, rva));
    for (int i = 0; i < read.lists.size(); i++) {
      read.count(i);
    }
    return read;
  }

  /**
   * Returns the place of the table that the fields of a load configuration give.
   *
   * @param address DynamicValueRelocTable, counts if it is not 0
   * @param section DynamicValueRelocTableSection, from 1
   * @param offset DynamicValueRelocTableOffset, from the start of that section
   * @return its RVA, or 0 if there is none
   */
  public static long place(PeImage image, long address, int section, long offset) {
    if (address != 0) {
      return image.rva(address);
    }
    return section >= 1 && section <= image.sections().size()
        ? image.sections().get(section - 1).rva() + offset
        : 0;
  }

  private static DynamicRelocations read(PeImage image, long rva) {
    Bytes head = image.view().window(rva, 8);
    long version = head.u32(0);
    long size = head.u32(4);
    Bytes table = image.view().window(rva, 8 + size);
    if (table.length() < 8 + size) {
      image.gap(
          rva + table.length(),
          8 + size - table.length(),
          "dynamic relocations",
          "the table extends past the stored data");
    }
    List<Fixups> lists = new ArrayList<>();
    int at = 8;
    while (at < table.length()) {
      if (version != 1 && version != 2) {
        image.gap(
            rva, 8 + size, "dynamic relocations", "the table has an unknown version: " + version);
        break;
      }
      int next = lists.size() < MOST_LISTS ? list(image, table, rva, version, at, lists) : -1;
      if (next < 0) {
        image.gap(
            rva + at,
            table.length() - at,
            "dynamic relocations",
            lists.size() < MOST_LISTS
                ? "a list extends past the end of the table"
                : "the table has more than " + MOST_LISTS + " lists");
        break;
      }
      at = next;
    }
    return new DynamicRelocations(image, version, table, rva, lists);
  }

  /** Reads the head of the list at {@code at}; returns the start of the next one, or -1. */
  private static int list(
      PeImage image, Bytes table, long rva, long version, int at, List<Fixups> lists) {
    int word = image.headers().pointerBytes();
    int least = version == 1 ? word + 4 : 16 + word;
    if (!table.has(at, least)) {
      return -1;
    }
    long head = version == 1 ? least : table.u32(at);
    long size = version == 1 ? table.u32(at + word) : table.u32(at + 4);
    long symbol = table.pointer(version == 1 ? at : at + 8, word);
    long end = at + head + size;
    if (head < least || end > table.length()) {
      return -1;
    }
    long group = version == 1 ? 0 : table.u32(at + 8 + word);
    long flags = version == 1 ? 0 : table.u32(at + 12 + word);
    lists.add(new Fixups(Symbol.of(symbol), symbol, group, flags, rva + at + head, size));
    return (int) end;
  }

  /** Returns 1 or 2; 0 if there is no table. */
  public long version() {
    return version;
  }

  /** Returns the RVA of the table; 0 if there is none. */
  public long rva() {
    return tableRva;
  }

  /** The lists, in the order of the table. */
  public List<Fixups> lists() {
    return lists;
  }

  /** Returns the number of records in the lists of a symbol, as far as they can be read. */
  public long count(Symbol kind) {
    long count = 0;
    for (int i = 0; i < lists.size(); i++) {
      count += lists.get(i).kind == kind ? counts[i] : 0;
    }
    return count;
  }

  private void count(int list) {
    Fixups fixups = lists.get(list);
    long[] count = new long[1];
    image.reading(
        "dynamic relocations",
        fixups.rva,
        false,
        () -> {
          int stop = walk(fixups, fixup -> count[0]++);
          if (stop < fixups.size) {
            image.gap(
                fixups.rva + stop,
                fixups.size - stop,
                "dynamic relocations",
                "not a relocation block of symbol " + fixups.name());
          }
          return true;
        });
    counts[list] = count[0];
  }

  /** Every record of every list. */
  public void forEach(Consumer<DynamicFixup> visitor) {
    lists.forEach(fixups -> forEach(fixups, visitor));
  }

  /** Every record of one list, up to where it is damaged. */
  public void forEach(Fixups fixups, Consumer<DynamicFixup> visitor) {
    try {
      walk(fixups, visitor);
    } catch (DamagedInput e) {
      // Was made a gap when the table was read.
      return;
    }
  }

  /**
   * Returns the RVA of the pointer that an import record refers to.
   *
   * @param index of {@link DynamicFixup.ImportTransfer} or of its sibling of ARM64
   * @return its RVA, or 0 if the record has none or the image has no import address table
   */
  public long slot(int index) {
    Range table = image.directory(DataDirectory.IAT);
    return index < 0 || !table.isPresent()
        ? 0
        : table.rva() + (long) index * image.headers().pointerBytes();
  }

  /** Reads the records of a list; returns where in the list it stopped. */
  private int walk(Fixups fixups, Consumer<DynamicFixup> visitor) {
    if (table == null || fixups.kind == Symbol.UNKNOWN) {
      return (int) fixups.size;
    }
    Bytes body = table.slice((int) (fixups.rva - tableRva), (int) fixups.size);
    if (fixups.kind == Symbol.FUNCTION_OVERRIDE) {
      return FunctionOverrides.read(body, visitor);
    }
    return RelocationBlocks.walk(
        body,
        0,
        body.length(),
        (page, at, end) -> {
          switch (fixups.kind) {
            case GUARD_RF_PROLOGUE -> prologue(body, page, at, end, visitor);
            case GUARD_RF_EPILOGUE -> epilogue(body, page, at, end, visitor);
            case GUARD_IMPORT_CONTROL_TRANSFER -> imports(body, page, at, end, visitor);
            case GUARD_INDIR_CONTROL_TRANSFER -> indirect(body, page, at, end, visitor);
            case GUARD_SWITCHTABLE_BRANCH -> switches(body, page, at, end, visitor);
            case ARM64X -> arm64x(body, page, at, end, visitor);
            case ARM64_KERNEL_IMPORT_CALL_TRANSFER -> arm64Imports(body, page, at, end, visitor);
            default -> addresses(body, page, at, end, visitor);
          }
        });
  }

  private static void prologue(
      Bytes body, long page, int at, int end, Consumer<DynamicFixup> visitor) {
    Bytes block = body.slice(at, end - at);
    visitor.accept(new DynamicFixup.ReturnGuardPrologue(page, block.slice(1, block.u8(0))));
  }

  private static void epilogue(
      Bytes body, long page, int at, int end, Consumer<DynamicFixup> visitor) {
    Bytes block = body.slice(at, end - at);
    int size = block.u8(5);
    int count = block.u16(6);
    visitor.accept(
        new DynamicFixup.ReturnGuardEpilogue(
            page,
            block.u32(0),
            block.u8(4),
            size,
            block.slice(8, size * count),
            block.slice(8 + size * count, (count + 7) / 8)));
  }

  private static void imports(
      Bytes body, long page, int from, int end, Consumer<DynamicFixup> visitor) {
    for (int at = from; at + 4 <= end; at += 4) {
      int record = body.i32(at);
      int index = record >>> 13;
      if (!isPadding(record, at, from)) {
        visitor.accept(
            new DynamicFixup.ImportTransfer(
                page + (record & 0xFFF),
                (record & 0x1000) != 0,
                index == NO_SLOT_X64 ? -1 : index));
      }
    }
  }

  /**
   * Returns whether a record only fills a block up: the kernel takes one with offset 0 for a place
   * at the first byte of its page only if it is the first of its block.
   */
  private static boolean isPadding(int record, int at, int first) {
    return (record & 0xFFF) == 0 && at > first;
  }

  private static void indirect(
      Bytes body, long page, int from, int end, Consumer<DynamicFixup> visitor) {
    for (int at = from; at + 2 <= end; at += 2) {
      int record = body.u16(at);
      if (!isPadding(record, at, from)) {
        visitor.accept(
            new DynamicFixup.IndirectTransfer(
                page + (record & 0xFFF),
                (record & 0x1000) != 0,
                (record & 0x2000) != 0,
                (record & 0x4000) != 0));
      }
    }
  }

  private static void switches(
      Bytes body, long page, int from, int end, Consumer<DynamicFixup> visitor) {
    for (int at = from; at + 2 <= end; at += 2) {
      int record = body.u16(at);
      if (!isPadding(record, at, from)) {
        visitor.accept(new DynamicFixup.SwitchBranch(page + (record & 0xFFF), record >>> 12));
      }
    }
  }

  private static void arm64x(
      Bytes body, long page, int from, int end, Consumer<DynamicFixup> visitor) {
    Bytes block = body.slice(0, end);
    int at = from;
    while (at + 2 <= end) {
      int record = block.u16(at);
      if (record == 0) {
        // Padding, which is always at the end of a block.
        return;
      }
      at += 2;
      long rva = page + (record & 0xFFF);
      int size = 1 << (record >>> 14);
      switch (record >>> 12 & 3) {
        case 0 -> visitor.accept(new DynamicFixup.Arm64xZero(rva, size));
        case 1 -> {
          visitor.accept(new DynamicFixup.Arm64xValue(rva, size, number(block, at, size)));
          at += size;
        }
        case 2 -> {
          long delta = (long) block.u16(at) * ((record & 0x8000) != 0 ? 8 : 4);
          visitor.accept(
              new DynamicFixup.Arm64xDelta(rva, 4, (record & 0x4000) != 0 ? -delta : delta));
          at += 2;
        }
        default ->
            throw new DamagedInput(
                block.name(), block.base() + at - 2, "an ARM64X record has the undefined type 3");
      }
    }
  }

  private static long number(Bytes block, int at, int size) {
    return switch (size) {
      case 2 -> block.u16(at);
      case 4 -> block.u32(at);
      case 8 -> block.i64(at);
      default ->
          throw new DamagedInput(
              block.name(), block.base() + at, "an ARM64X record has a value of invalid size");
    };
  }

  private static void arm64Imports(
      Bytes body, long page, int from, int end, Consumer<DynamicFixup> visitor) {
    for (int at = from; at + 4 <= end; at += 4) {
      int record = body.i32(at);
      int index = record >>> 17;
      if (record != 0) {
        visitor.accept(
            new DynamicFixup.Arm64ImportTransfer(
                page + (record & 0x3FF) * 4L,
                (record & 0x400) != 0,
                record >>> 11 & 31,
                (record & 0x1_0000) != 0,
                index == NO_SLOT_ARM64 ? -1 : index));
      }
    }
  }

  private static void addresses(
      Bytes body, long page, int from, int end, Consumer<DynamicFixup> visitor) {
    Relocations.entries(
        body,
        page,
        from,
        end,
        (rva, type, low) -> visitor.accept(new DynamicFixup.AddressUse(rva, type, low)));
  }
}
