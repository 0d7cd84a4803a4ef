package io.ntrail.testkit.described;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A field of an event: a value, or what is in it.
 *
 * @param name the field's name; of an element of an array {@code [0]}, {@code [1]}, ...
 * @param value the text of a value; null for a structure or an array
 * @param meaning what a value map says about the value, else null
 * @param children the members of a structure or the elements of an array
 */
public record FieldNode(
    String name, @Nullable String value, @Nullable String meaning, List<FieldNode> children) {

  /** A value with the place it has in its event. */
  public record Pair(String path, String text) {
    @Override
    public String toString() {
      return path + " = " + text;
    }
  }

  /** Copies the children. */
  public FieldNode {
    children = List.copyOf(children);
  }

  /** A value. */
  public static FieldNode leaf(String name, String value) {
    return new FieldNode(name, value, null, List.of());
  }

  /** A value of which a map says what it means. */
  public static FieldNode mapped(String name, String value, @Nullable String meaning) {
    return new FieldNode(name, value, meaning, List.of());
  }

  /** A structure or an array. */
  public static FieldNode group(String name, List<FieldNode> children) {
    return new FieldNode(name, null, null, children);
  }

  /** An array of values. */
  public static FieldNode array(String name, List<String> values) {
    List<FieldNode> elements = new ArrayList<>();
    for (String value : values) {
      elements.add(leaf("[" + elements.size() + "]", value));
    }
    return group(name, elements);
  }

  /** Returns a copy under another name. */
  public FieldNode named(String other) {
    return new FieldNode(other, value, meaning, children);
  }

  /**
   * All values in order: paths look like {@code point.x} and {@code list[2]}, an empty group is
   * {@code path{}} with an empty text, a meaning is in brackets after its value.
   */
  public static List<Pair> flat(List<FieldNode> nodes) {
    List<Pair> out = new ArrayList<>();
    flatten("", nodes, out);
    return List.copyOf(out);
  }

  private static void flatten(String prefix, List<FieldNode> nodes, List<Pair> out) {
    for (FieldNode node : nodes) {
      String path =
          prefix.isEmpty() || node.name.startsWith("[")
              ? prefix + node.name
              : prefix + "." + node.name;
      if (node.value != null) {
        out.add(
            new Pair(
                path, node.meaning == null ? node.value : node.value + " (" + node.meaning + ")"));
      } else if (node.children.isEmpty()) {
        out.add(new Pair(path + "{}", ""));
      } else {
        flatten(path, node.children, out);
      }
    }
  }
}
