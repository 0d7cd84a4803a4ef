package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** Streams for tests: bytes by hand, and what a cursor makes of them. */
final class Streams {
  static final String PSB = "02820282028202820282028202820282";

  private Streams() {}

  static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  static InputFile of(String hex) {
    return InputFile.of(bytes(hex), "stream.pt");
  }

  static PacketCursor cursor(InputFile input) {
    return new PacketCursor(input, Set.of());
  }

  /** Returns a line for each packet: offset, length, type, fields, in hexadecimal as needed. */
  static List<String> lines(String hex) {
    return lines(hex, Set.of());
  }

  static List<String> lines(String hex, Set<Erratum> errata) {
    List<String> lines = new ArrayList<>();
    try (InputFile input = of(hex)) {
      PacketCursor cursor = new PacketCursor(input, errata);
      while (cursor.next()) {
        lines.add(
            "%x+%d %s%s"
                .formatted(cursor.offset(), cursor.length(), label(cursor), fields(cursor)));
      }
    }
    return lines;
  }

  private static String label(PacketCursor cursor) {
    return cursor.type() == PacketType.ERROR ? "ERROR " + cursor.error() : cursor.type().label();
  }

  /** Returns the fields as {@code name=value}, each after a blank. */
  static String fields(PacketCursor cursor) {
    StringBuilder text = new StringBuilder();
    for (PacketField field : cursor.type().fields()) {
      if (cursor.has(field)) {
        text.append(' ').append(field.name()).append('=').append(value(cursor, field));
      }
    }
    return text.toString();
  }

  private static String value(PacketCursor cursor, PacketField field) {
    if (field.kind() == PacketField.Kind.BRANCHES) {
      return cursor.branchText();
    }
    long value = cursor.field(field);
    return field.isHex() ? "0x" + Long.toHexString(value) : Long.toString(value);
  }
}
