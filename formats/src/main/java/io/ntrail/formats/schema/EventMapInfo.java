package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names of values that a merge puts beside the events: 16 bytes with the provider's GUID, then an
 * {@code EVENT_MAP_INFO} of tdh.h, whose offsets count from its own start. Immutable.
 *
 * @param provider whose names they are
 * @param map the names; without any if they are patterns, which name no numbers
 */
public record EventMapInfo(Guid provider, ValueMap map) {
  private static final int GUID = 16;
  private static final int HEADER = 16;
  private static final int ENTRY = 8;

  private static final int MANIFEST_BITMAP = 2;
  private static final int MANIFEST_PATTERNMAP = 4;
  private static final int WBEM_BITMAP = 0x10;
  private static final int WBEM_FLAG = 0x20;

  /** The class names texts only: their place in the list is the value, or the bit. */
  private static final int WBEM_NO_MAP = 0x40;

  private static final int VALUES_ARE_TEXTS = 1;

  /**
   * Reads a blob.
   *
   * @param at where it begins: the payload of opcode 33 of class bbccf6c1
   * @param length its bytes
   * @return null if it is shorter than its fixed part or has no name; entries that lie outside of
   *     it are left out
   */
  public static @Nullable EventMapInfo parse(Bytes bytes, int at, int length) {
    if (length < GUID + HEADER || !bytes.has(at, length)) {
      return null;
    }
    int start = at + GUID;
    EventInfo.Texts texts = new EventInfo.Texts(bytes, start, length - GUID);
    String name = texts.name(bytes.i32(start));
    if (name == null) {
      return null;
    }
    int flags = bytes.i32(start + 4);
    boolean bits = (flags & (MANIFEST_BITMAP | WBEM_BITMAP | WBEM_FLAG)) != 0;
    Map<Long, String> entries = new LinkedHashMap<>();
    if ((flags & MANIFEST_PATTERNMAP) == 0) {
      int count = (int) Math.min((length - GUID - HEADER) / ENTRY, bytes.u32(start + 8));
      boolean named = bytes.i32(start + 12) == VALUES_ARE_TEXTS;
      for (int i = 0; i < count; i++) {
        int entry = start + HEADER + ENTRY * i;
        String text = texts.name(bytes.i32(entry));
        Long value =
            (flags & WBEM_NO_MAP) != 0
                ? (Long) (bits ? 1L << i : i)
                : named ? number(texts.name(bytes.i32(entry + 4))) : (Long) bytes.u32(entry + 4);
        if (text != null && value != null) {
          put(entries, value, text, bits);
        }
      }
    }
    return new EventMapInfo(Guid.read(bytes, at), new ValueMap(name, bits, entries));
  }

  /** Values have 32 bits and no sign, the fields that they name may have one. */
  static void put(Map<Long, String> entries, long value, String text, boolean bits) {
    entries.putIfAbsent(value, text);
    if (!bits && value >>> 31 == 1) {
      entries.putIfAbsent((long) (int) value, text);
    }
  }

  private static @Nullable Long number(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return Long.decode(text.strip());
    } catch (NumberFormatException e) {
      // Classes may name values that are texts themselves: nothing for a number.
      return null;
    }
  }
}
