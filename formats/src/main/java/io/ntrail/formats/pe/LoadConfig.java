package io.ntrail.formats.pe;

import io.ntrail.formats.collections.Neighbors;
import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The load configuration (IMAGE_LOAD_CONFIG_DIRECTORY): what the loader has to know about an
 * image's mitigations. It grew with every Windows; its first word is its size in the image, in old
 * images the size of the directory where that word is 0.
 */
public final class LoadConfig {
  /** IMAGE_GUARD_CF_INSTRUMENTED. */
  public static final long CF_INSTRUMENTED = 0x100;

  /** IMAGE_GUARD_CF_FUNCTION_TABLE_PRESENT. */
  public static final long CF_FUNCTION_TABLE_PRESENT = 0x400;

  /** IMAGE_GUARD_SECURITY_COOKIE_UNUSED. */
  public static final long SECURITY_COOKIE_UNUSED = 0x800;

  /** IMAGE_GUARD_RETPOLINE_PRESENT. */
  public static final long RETPOLINE_PRESENT = 0x10_0000;

  /** IMAGE_GUARD_EH_CONTINUATION_TABLE_PRESENT. */
  public static final long EH_CONTINUATION_TABLE_PRESENT = 0x40_0000;

  /** IMAGE_GUARD_XFG_ENABLED. */
  public static final long XFG_ENABLED = 0x80_0000;

  /** More than any image has functions. */
  private static final long MOST_ENTRIES = 1 << 22;

  private static final String[] GUARD_FLAGS = {
    "CF_INSTRUMENTED",
    "CFW_INSTRUMENTED",
    "CF_FUNCTION_TABLE_PRESENT",
    "SECURITY_COOKIE_UNUSED",
    "PROTECT_DELAYLOAD_IAT",
    "DELAYLOAD_IAT_IN_ITS_OWN_SECTION",
    "CF_EXPORT_SUPPRESSION_INFO_PRESENT",
    "CF_ENABLE_EXPORT_SUPPRESSION",
    "CF_LONGJUMP_TABLE_PRESENT",
    "RF_INSTRUMENTED",
    "RF_ENABLE",
    "RF_STRICT",
    "RETPOLINE_PRESENT",
    "0x200000",
    "EH_CONTINUATION_TABLE_PRESENT",
    "XFG_ENABLED",
    "CASTGUARD_PRESENT",
    "MEMCPY_PRESENT"
  };

  /**
   * The fields, with their offsets in PE32 and in PE32+ and their widths. The layout is that of the
   * newest header; older ones are shorter.
   */
  public enum Field {
    SIZE(0x0, 4, 0x0, 4),
    TIME_DATE_STAMP(0x4, 4, 0x4, 4),
    MAJOR_VERSION(0x8, 2, 0x8, 2),
    MINOR_VERSION(0xA, 2, 0xA, 2),
    GLOBAL_FLAGS_CLEAR(0xC, 4, 0xC, 4),
    GLOBAL_FLAGS_SET(0x10, 4, 0x10, 4),
    CRITICAL_SECTION_DEFAULT_TIMEOUT(0x14, 4, 0x14, 4),
    DE_COMMIT_FREE_BLOCK_THRESHOLD(0x18, 4, 0x18, 8),
    DE_COMMIT_TOTAL_FREE_THRESHOLD(0x1C, 4, 0x20, 8),
    LOCK_PREFIX_TABLE(0x20, 4, 0x28, 8),
    MAXIMUM_ALLOCATION_SIZE(0x24, 4, 0x30, 8),
    VIRTUAL_MEMORY_THRESHOLD(0x28, 4, 0x38, 8),
    PROCESS_HEAP_FLAGS(0x2C, 4, 0x48, 4),
    PROCESS_AFFINITY_MASK(0x30, 4, 0x40, 8),
    CSD_VERSION(0x34, 2, 0x4C, 2),
    DEPENDENT_LOAD_FLAGS(0x36, 2, 0x4E, 2),
    EDIT_LIST(0x38, 4, 0x50, 8),
    SECURITY_COOKIE(0x3C, 4, 0x58, 8),
    SE_HANDLER_TABLE(0x40, 4, 0x60, 8),
    SE_HANDLER_COUNT(0x44, 4, 0x68, 8),
    GUARD_CF_CHECK_FUNCTION_POINTER(0x48, 4, 0x70, 8),
    GUARD_CF_DISPATCH_FUNCTION_POINTER(0x4C, 4, 0x78, 8),
    GUARD_CF_FUNCTION_TABLE(0x50, 4, 0x80, 8),
    GUARD_CF_FUNCTION_COUNT(0x54, 4, 0x88, 8),
    GUARD_FLAGS(0x58, 4, 0x90, 4),
    CODE_INTEGRITY_FLAGS(0x5C, 2, 0x94, 2),
    CODE_INTEGRITY_CATALOG(0x5E, 2, 0x96, 2),
    CODE_INTEGRITY_CATALOG_OFFSET(0x60, 4, 0x98, 4),
    CODE_INTEGRITY_RESERVED(0x64, 4, 0x9C, 4),
    GUARD_ADDRESS_TAKEN_IAT_ENTRY_TABLE(0x68, 4, 0xA0, 8),
    GUARD_ADDRESS_TAKEN_IAT_ENTRY_COUNT(0x6C, 4, 0xA8, 8),
    GUARD_LONG_JUMP_TARGET_TABLE(0x70, 4, 0xB0, 8),
    GUARD_LONG_JUMP_TARGET_COUNT(0x74, 4, 0xB8, 8),
    DYNAMIC_VALUE_RELOC_TABLE(0x78, 4, 0xC0, 8),
    CHPE_METADATA_POINTER(0x7C, 4, 0xC8, 8),
    GUARD_RF_FAILURE_ROUTINE(0x80, 4, 0xD0, 8),
    GUARD_RF_FAILURE_ROUTINE_FUNCTION_POINTER(0x84, 4, 0xD8, 8),
    DYNAMIC_VALUE_RELOC_TABLE_OFFSET(0x88, 4, 0xE0, 4),
    DYNAMIC_VALUE_RELOC_TABLE_SECTION(0x8C, 2, 0xE4, 2),
    GUARD_RF_VERIFY_STACK_POINTER_FUNCTION_POINTER(0x90, 4, 0xE8, 8),
    HOT_PATCH_TABLE_OFFSET(0x94, 4, 0xF0, 4),
    ENCLAVE_CONFIGURATION_POINTER(0x9C, 4, 0xF8, 8),
    VOLATILE_METADATA_POINTER(0xA0, 4, 0x100, 8),
    GUARD_EH_CONTINUATION_TABLE(0xA4, 4, 0x108, 8),
    GUARD_EH_CONTINUATION_COUNT(0xA8, 4, 0x110, 8),
    GUARD_XFG_CHECK_FUNCTION_POINTER(0xAC, 4, 0x118, 8),
    GUARD_XFG_DISPATCH_FUNCTION_POINTER(0xB0, 4, 0x120, 8),
    GUARD_XFG_TABLE_DISPATCH_FUNCTION_POINTER(0xB4, 4, 0x128, 8),
    CAST_GUARD_OS_DETERMINED_FAILURE_MODE(0xB8, 4, 0x130, 8),
    GUARD_MEMCPY_FUNCTION_POINTER(0xBC, 4, 0x138, 8),
    UMA_FUNCTION_POINTERS(0xC0, 4, 0x140, 8);

    private final int at32;
    private final int width32;
    private final int at64;
    private final int width64;

    Field(int at32, int width32, int at64, int width64) {
      this.at32 = at32;
      this.width32 = width32;
      this.at64 = at64;
      this.width64 = width64;
    }

    public int at(boolean wide) {
      return wide ? at64 : at32;
    }

    public int width(boolean wide) {
      return wide ? width64 : width32;
    }
  }

  /**
   * An entry of a guard table.
   *
   * @param flags its first extra byte (1 FID_SUPPRESSED, 2 EXPORT_SUPPRESSED, 4 LANGEXCPTHANDLER, 8
   *     XFG), 0 where entries have none
   */
  public record GuardEntry(long rva, int flags) {}

  private final PeImage image;
  private final long rva;
  private final int length;
  private final boolean wide;

  private LoadConfig(PeImage image, long rva, int length) {
    this.image = image;
    this.rva = rva;
    this.length = length;
    this.wide = image.headers().isWide();
  }

  /** Finds it; empty if the image has none. */
  public static Optional<LoadConfig> of(PeImage image) {
    Range range = image.directory(DataDirectory.LOAD_CONFIG);
    if (!range.isPresent()) {
      return Optional.empty();
    }
    return image.reading(
        "load config",
        range.rva(),
        Optional.empty(),
        () -> {
          long size = image.view().u32(range.rva());
          long counts = size == 0 ? range.size() : size;
          long there = Math.min(counts, image.view().available(range.rva()));
          if (there < counts) {
            image.gap(
                range.rva(),
                -1,
                "load config",
                "it claims " + counts + " bytes, but only " + there + " are available");
          }
          // No field lies further on; what future versions add is not for us.
          return Optional.of(new LoadConfig(image, range.rva(), (int) Math.min(there, 0x1000)));
        });
  }

  /** Returns its RVA. */
  public long rva() {
    return rva;
  }

  /** Returns true if the image's version of it has a field. */
  public boolean has(Field field) {
    return field.at(wide) + field.width(wide) <= length;
  }

  /** The value of a field, zero-extended; 0 if this version of it has none. */
  public long value(Field field) {
    if (!has(field)) {
      return 0;
    }
    long at = rva + field.at(wide);
    return switch (field.width(wide)) {
      case 2 -> image.view().u16(at);
      case 4 -> image.view().u32(at);
      default -> image.view().i64(at);
    };
  }

  /** The RVA that a field with an address means; 0 if there is none. */
  public long rva(Field field) {
    return image.rva(value(field));
  }

  /** Returns GuardFlags without the bits for the length of entries. */
  public long guardFlags() {
    return value(Field.GUARD_FLAGS) & 0x0FFF_FFFF;
  }

  /** The names of guard flags as the headers have them, without IMAGE_GUARD_. */
  public static List<String> guardFlagNames(long flags) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < GUARD_FLAGS.length; i++) {
      if ((flags >>> 8 + i & 1) != 0) {
        names.add(GUARD_FLAGS[i]);
      }
    }
    return List.copyOf(names);
  }

  /** Bytes from one entry of a guard table to the next. */
  public int guardStride() {
    return 4 + (int) (value(Field.GUARD_FLAGS) >>> 28 & 0xF);
  }

  /** GFIDS: functions that may be called through a pointer. */
  public List<GuardEntry> guardFunctions() {
    return table(Field.GUARD_CF_FUNCTION_TABLE, Field.GUARD_CF_FUNCTION_COUNT, guardStride());
  }

  /** Offers the addresses of {@link #guardFunctions}, without keeping them. */
  public void guardFunctions(Neighbors nearest) {
    long at = rva(Field.GUARD_CF_FUNCTION_TABLE);
    int stride = guardStride();
    long known = room(at, Field.GUARD_CF_FUNCTION_COUNT, stride);
    for (long i = 0; i < known; i++) {
      nearest.offer(image.view().u32(at + stride * i));
    }
  }

  /** Slots of the IAT whose address was taken. */
  public List<GuardEntry> guardIatEntries() {
    return table(
        Field.GUARD_ADDRESS_TAKEN_IAT_ENTRY_TABLE,
        Field.GUARD_ADDRESS_TAKEN_IAT_ENTRY_COUNT,
        guardStride());
  }

  /** Returns the valid targets of longjmp. */
  public List<GuardEntry> guardLongJumpTargets() {
    return table(
        Field.GUARD_LONG_JUMP_TARGET_TABLE, Field.GUARD_LONG_JUMP_TARGET_COUNT, guardStride());
  }

  /** Returns the valid continuation targets of exception handlers. */
  public List<GuardEntry> guardEhContinuations() {
    return table(
        Field.GUARD_EH_CONTINUATION_TABLE, Field.GUARD_EH_CONTINUATION_COUNT, guardStride());
  }

  /**
   * Returns the SafeSEH table: the handlers that may run, for x86.
   *
   * @return empty if there is no such table; an empty table allows no handler
   */
  public Optional<long[]> safeSehHandlers() {
    if (value(Field.SE_HANDLER_TABLE) == 0 && value(Field.SE_HANDLER_COUNT) == 0) {
      return Optional.empty();
    }
    return Optional.of(
        table(Field.SE_HANDLER_TABLE, Field.SE_HANDLER_COUNT, 4).stream()
            .mapToLong(GuardEntry::rva)
            .toArray());
  }

  private List<GuardEntry> table(Field address, Field number, int stride) {
    long at = rva(address);
    long known = room(at, number, stride);
    GuardEntry[] entries = new GuardEntry[(int) known];
    for (int i = 0; i < known; i++) {
      long entry = at + (long) stride * i;
      entries[i] =
          new GuardEntry(image.view().u32(entry), stride > 4 ? image.view().u8(entry + 4) : 0);
    }
    return Arrays.asList(entries);
  }

  /** Returns the number of entries of a table that are there. */
  private long room(long at, Field number, int stride) {
    long count = value(number);
    if (at == 0 || count == 0) {
      return 0;
    }
    long room = Math.min(MOST_ENTRIES, image.view().stored(at) / stride);
    long known = count < 0 ? room : Math.min(count, room);
    if (known != count) {
      image.gap(
          rva + number.at(wide),
          number.width(wide),
          "load config",
          "a table of " + Long.toUnsignedString(count) + " entries has room for only " + known);
    }
    return known;
  }
}
