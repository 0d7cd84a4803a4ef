package io.ntrail.testkit.pe;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A field, block or list as llvm-readobj prints them, without any knowledge of what they mean.
 *
 * @param name what is before the colon or the bracket; empty for a line that is a bare value
 * @param value what is after the colon, the number after an opening bracket, or the line
 * @param children what a block or list holds, in order
 */
public record ToolNode(String name, String value, List<ToolNode> children) {
  private static final Pattern BLOCK = Pattern.compile("([A-Za-z]+) [\\[{(](?: \\((0x\\w+)\\))?");
  private static final Pattern NUMBER_BEHIND = Pattern.compile(".*\\((0x[0-9A-Fa-f]+)\\)");
  private static final Pattern RAW =
      Pattern.compile("((?:[0-9A-F]{2}){1,4}(?: (?:[0-9A-F]{2}){1,4}){0,3}) +\\|.*");

  /** The whole output of one run as the children of a nameless node. */
  public static ToolNode parse(ToolOutput output) {
    ToolNode root = new ToolNode("", output.name(), new ArrayList<>());
    Deque<ToolNode> open = new ArrayDeque<>();
    open.push(root);
    for (String line : output.lines()) {
      String text = line.strip();
      if (text.isEmpty()) {
        continue;
      }
      if (text.equals("}") || text.equals("]") || text.equals(")")) {
        if (open.size() > 1) {
          open.pop();
        }
        continue;
      }
      Matcher block = BLOCK.matcher(text);
      if (block.matches()) {
        String number = block.group(2);
        ToolNode node =
            new ToolNode(block.group(1), number == null ? "" : number, new ArrayList<>());
        here(open).children.add(node);
        open.push(node);
        continue;
      }
      int colon = text.indexOf(':');
      String name = colon < 0 ? "" : text.substring(0, colon);
      String value = text.substring(colon + 1);
      here(open)
          .children
          .add(new ToolNode(name, value.startsWith(" ") ? value.substring(1) : value, List.of()));
    }
    return root;
  }

  private static ToolNode here(Deque<ToolNode> open) {
    return open.element();
  }

  /** The children of that name. */
  public List<ToolNode> all(String childName) {
    return children.stream().filter(child -> child.name.equals(childName)).toList();
  }

  /** Returns true if there is a child of that name. */
  public boolean has(String childName) {
    return children.stream().anyMatch(child -> child.name.equals(childName));
  }

  /**
   * The first child of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public ToolNode first(String childName) {
    return children.stream()
        .filter(child -> child.name.equals(childName))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no " + childName + " in " + name + " " + value));
  }

  /** The value of the first child of that name. */
  public String text(String childName) {
    return first(childName).value;
  }

  /** The number of the first child of that name, see {@link #number()}. */
  public long number(String childName) {
    return first(childName).number();
  }

  /**
   * The value as a number: {@code 0x} hexadecimal, decimal, or what is in parentheses at its end;
   * unsigned 64 bits.
   */
  public long number() {
    return numberOf(value);
  }

  static long numberOf(String value) {
    Matcher behind = NUMBER_BEHIND.matcher(value);
    String digits = behind.matches() ? behind.group(1) : value.strip();
    if (digits.startsWith("0x")) {
      return Long.parseUnsignedLong(digits.substring(2), 16);
    }
    return Long.parseLong(digits);
  }

  /** The bytes of a {@code RawData} block. */
  public byte[] raw() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (ToolNode line : children) {
      Matcher hex = RAW.matcher(line.value);
      if (!hex.matches()) {
        throw new IllegalArgumentException("not a line of bytes: " + line.value);
      }
      bytes.writeBytes(HexFormat.of().parseHex(hex.group(1).replace(" ", "")));
    }
    return bytes.toByteArray();
  }
}
