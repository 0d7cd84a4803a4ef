package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Version resource of an image (VS_VERSIONINFO): numbers that programs compare, and texts that
 * people read, in one or several languages.
 *
 * <p>A tree of nodes: {@code u16 bytes of the node, u16 size of its value, u16 1 for text}, the key
 * in UTF-16 with a NUL, and, each aligned to four bytes, the value and the nodes inside. The size
 * of a text counts characters; since some compilers count bytes, the text ends at its NUL in any
 * case.
 *
 * <p>Source: "VS_VERSIONINFO structure" and its siblings in Microsoft's documentation.
 *
 * @param numbers null if the resource has none
 * @param tables texts by language
 * @param translations the languages listed in the resource
 */
public record VersionInfo(
    @Nullable Numbers numbers, List<Table> tables, List<Translation> translations) {
  private static final int HEADER = 6;
  private static final int NUMBERS = 52;
  private static final long NUMBERS_SIGNATURE = 0xFEEF_04BDL;
  private static final int MOST_NODES = 16_384;

  /**
   * VS_FIXEDFILEINFO. Versions are four 16-bit numbers, the first one in the highest bits.
   *
   * @param flagsMask which flags are meant
   * @param flags VS_FF_: 1 debug, 2 prerelease, 4 patched, 8 private build, 20h special build
   * @param os VOS_
   * @param type VFT_: 1 program, 2 library, 3 driver
   * @param subtype VFT2_
   * @param date mostly 0
   */
  public record Numbers(
      long fileVersion,
      long productVersion,
      long flagsMask,
      long flags,
      long os,
      long type,
      long subtype,
      long date) {}

  /**
   * The texts of one language, by key, in the order of the resource.
   *
   * @param language a language id, -1 if the table's key is none
   * @param codePage of old programs that read it
   */
  public record Table(int language, int codePage, Map<String, String> texts) {}

  /** A language and a code page. */
  public record Translation(int language, int codePage) {}

  /** Reads that of an image: the first version resource in its first language. */
  public static Optional<VersionInfo> of(PeImage image) {
    return of(image, Resources.of(image));
  }

  /** Reads that of an image whose resources were read before. */
  public static Optional<VersionInfo> of(PeImage image, Resources resources) {
    return resources
        .first(Resources.VERSION)
        .flatMap(data ->
            image.reading(
                "version",
                data.rva(),
                Optional.empty(),
                () -> Optional.of(parse(data.bytes(image)))));
  }

  /** Reads the bytes of the resource. */
  public static VersionInfo parse(Bytes bytes) {
    Reader reader = new Reader(bytes);
    reader.root();
    return new VersionInfo(
        reader.numbers, List.copyOf(reader.tables), List.copyOf(reader.translations));
  }

  /** The text of a key in the first language that has it. */
  public Optional<String> text(String key) {
    return tables.stream()
        .map(table -> Optional.ofNullable(table.texts.get(key)))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Offsets of the parts of a node. */
  private record Node(String key, int valueSize, int value, int end) {}

  private static final class Reader {
    private final Bytes bytes;
    private final List<Table> tables = new ArrayList<>();
    private final List<Translation> translations = new ArrayList<>();
    private @Nullable Numbers numbers;
    private int nodes;

    Reader(Bytes bytes) {
      this.bytes = bytes;
    }

    private static int aligned(int at) {
      return at + 3 & ~3;
    }

    /** The node at {@code at}, or null if none can be there. */
    private @Nullable Node node(int at, int end) {
      if (end - at < HEADER || nodes++ >= MOST_NODES) {
        return null;
      }
      int length = bytes.u16(at);
      if (length < HEADER) {
        return null;
      }
      int behind = Math.min(end, at + length);
      int chars = bytes.utf16Length(at + HEADER, behind);
      return new Node(
          bytes.utf16(at + HEADER, chars),
          bytes.u16(at + 2),
          Math.min(behind, aligned(at + HEADER + 2 * (chars + 1))),
          behind);
    }

    void root() {
      Node root = node(0, bytes.length());
      if (root == null) {
        return;
      }
      if (root.valueSize >= NUMBERS
          && root.end - root.value >= NUMBERS
          && bytes.u32(root.value) == NUMBERS_SIGNATURE) {
        numbers = numbers(root.value);
      }
      int children = aligned(root.value + root.valueSize);
      for (Node child = node(children, root.end); child != null; ) {
        if (child.key.equals("StringFileInfo")) {
          tables(child);
        } else if (child.key.equals("VarFileInfo")) {
          translations(child);
        }
        child = node(aligned(child.end), root.end);
      }
    }

    private Numbers numbers(int at) {
      return new Numbers(
          bytes.u32(at + 8) << 32 | bytes.u32(at + 12),
          bytes.u32(at + 16) << 32 | bytes.u32(at + 20),
          bytes.u32(at + 24),
          bytes.u32(at + 28),
          bytes.u32(at + 32),
          bytes.u32(at + 36),
          bytes.u32(at + 40),
          bytes.u32(at + 44) << 32 | bytes.u32(at + 48));
    }

    private void tables(Node parent) {
      for (Node table = node(parent.value, parent.end); table != null; ) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Node text = node(table.value, table.end); text != null; ) {
          texts.put(text.key, bytes.utf16z(text.value, text.end));
          text = node(aligned(text.end), table.end);
        }
        tables.add(
            new Table(hex(table.key, 0), hex(table.key, 4), Collections.unmodifiableMap(texts)));
        table = node(aligned(table.end), parent.end);
      }
    }

    /** Four hexadecimal digits of a key, -1 if they are none. */
    private static int hex(String key, int from) {
      int value = 0;
      for (int i = from; i < from + 4; i++) {
        int digit = i < key.length() ? Character.digit(key.charAt(i), 16) : -1;
        if (digit < 0) {
          return -1;
        }
        value = value << 4 | digit;
      }
      return value;
    }

    private void translations(Node parent) {
      for (Node child = node(parent.value, parent.end); child != null; ) {
        if (child.key.equals("Translation")) {
          int end = Math.min(child.end, child.value + child.valueSize);
          for (int at = child.value; end - at >= 4; at += 4) {
            translations.add(new Translation(bytes.u16(at), bytes.u16(at + 2)));
          }
        }
        child = node(aligned(child.end), parent.end);
      }
    }
  }
}
