package io.ntrail.testkit.described;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * Makes a WPP message: its arguments as bytes, the lines of a TMF file that describe it, and the
 * text that comes of both.
 *
 * <pre>{@code
 * WppMessage m = new WppMessage(TRACE, "shop_c120", 10, "ShopMain", "LEVEL_INFO", "FLAG_ALL")
 *     .text("sold ").argument("ItemLong", "d", Encoded.signed(4, 3)).text(" pieces");
 * }</pre>
 */
public final class WppMessageWriter {
  private static final int FIRST_ARGUMENT = 10;

  private final UUID trace;
  private final String place;
  private final int number;
  private final String function;
  private final String level;
  private final String flags;
  private final StringBuilder format = new StringBuilder();
  private final StringBuilder items = new StringBuilder();
  private final StringBuilder text = new StringBuilder();
  private final LittleEndian payload = new LittleEndian();
  private final List<FieldNode> expected = new ArrayList<>();

  /**
   * A message without text.
   *
   * @param trace the GUID of the source file's messages
   * @param place file and line as TMF files name them, {@code shop_c120}
   */
  public WppMessageWriter(
      UUID trace, String place, int number, String function, String level, String flags) {
    this.trace = trace;
    this.place = place;
    this.number = number;
    this.function = function;
    this.level = level;
    this.flags = flags;
  }

  /** Words of the message; a percent sign stands for itself. */
  public WppMessageWriter text(String words) {
    format.append(words.replace("%", "%%"));
    text.append(words);
    return this;
  }

  /** The function's name, which is in the TMF only. */
  public WppMessageWriter function() {
    format.append("%!FUNC!");
    text.append(function);
    return this;
  }

  /**
   * An argument that is shown as its text.
   *
   * @param item what the TMF calls its type, {@code ItemLong}
   * @param specification between the exclamation marks, {@code d}
   */
  public WppMessageWriter argument(String item, String specification, EncodedValue value) {
    return argument(item, specification, value, value.text());
  }

  /** An argument that is shown in another way than as its text. */
  public WppMessageWriter argument(
      String item, String specification, EncodedValue value, String shown) {
    int index = FIRST_ARGUMENT + expected.size();
    format.append('%').append(index).append('!').append(specification).append('!');
    items.append("arg%d, %s -- %d%n".formatted(index, item, index));
    payload.bytes(value.bytes().bytes());
    expected.add(FieldNode.leaf(Integer.toString(index), value.text()));
    text.append(shown);
    return this;
  }

  /** A decimal number. */
  public WppMessageWriter number(int value) {
    return argument("ItemLong", "d", EncodedValue.signed(4, value));
  }

  /** A number in eight hexadecimal digits. */
  public WppMessageWriter hex(int value) {
    String digits = "%08x".formatted(value);
    return argument("ItemLong", "08x", EncodedValue.hex(4, value), digits);
  }

  /** A decimal number of 64 bits. */
  public WppMessageWriter number(long value) {
    return argument("ItemLongLong", "I64d", EncodedValue.signed(8, value));
  }

  /** A UTF-16 text. */
  public WppMessageWriter wide(String value) {
    return argument("ItemWString", "S", EncodedValue.wide(value));
  }

  /** An 8-bit text. */
  public WppMessageWriter narrow(String value) {
    return argument("ItemString", "s", EncodedValue.narrow(value));
  }

  /** A UTF-16 text with its number of bytes before it. */
  public WppMessageWriter countedWide(String value) {
    return argument("ItemPWString", "S", EncodedValue.countedWide(value));
  }

  /** A GUID. */
  public WppMessageWriter guid(UUID value) {
    return argument("ItemGuid", "s", EncodedValue.guid(value));
  }

  /** One of several words, as a number of 1, 2 or 4 bytes. */
  public WppMessageWriter oneOf(int width, int value, String... words) {
    String kind = width == 1 ? "Byte" : width == 2 ? "Short" : "Long";
    String item = "ItemList" + kind + "(" + String.join(",", words) + ")";
    return argument(item, "s", EncodedValue.unsigned(width, value), words[value]);
  }

  /** The message's number in its source file. */
  public int number() {
    return number;
  }

  /** The GUID of the source file's messages. */
  public UUID trace() {
    return trace;
  }

  /** The arguments one after the other. */
  public byte[] payload() {
    return payload.toByteArray();
  }

  /** The arguments, named by their numbers. */
  public List<FieldNode> expected() {
    return List.copyOf(expected);
  }

  /** The whole text. */
  public String text() {
    return text.toString();
  }

  /** The lines of a TMF file about this message. */
  public String lines() {
    return "#typev  %s %d \"%%0%s\" //   LEVEL=%s FLAGS=%s FUNC=%s%n{%n%s}%n"
        .formatted(place, number, format, level, flags, function, items);
  }

  /**
   * A TMF file of messages with one GUID.
   *
   * @param component the name of the binary
   * @param source the source file
   */
  public static String tmf(String component, String source, List<WppMessageWriter> messages) {
    StringBuilder out = new StringBuilder("// PDB:  %s.pdb%n".formatted(component));
    UUID trace = messages.getFirst().trace;
    String guid = trace.toString().toLowerCase(Locale.ROOT);
    out.append("%s %s // SRC=%s MJ= MN=%n".formatted(guid, component, source));
    messages.forEach(message -> out.append(message.lines()));
    return out.toString();
  }
}
