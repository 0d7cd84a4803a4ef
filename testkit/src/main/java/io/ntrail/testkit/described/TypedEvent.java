package io.ntrail.testkit.described;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An event in terms of TDH's types: what {@link EventInfoWriter} and {@link ManifestWriter} can
 * describe, with its payload and the values that a reader has to find. Names of fields are unique
 * in an event, those inside of structures too.
 */
public final class TypedEvent {
  /**
   * Description of one field.
   *
   * @param in TDH's in type; -1 for a structure
   * @param length characters or bytes; 0 if not given
   * @param lengthField the field that has the length
   * @param count elements; 1 and no {@code countField}: no array
   * @param countField the field that has the count
   * @param map the value map's name
   */
  public record Spec(
      String name,
      int in,
      int out,
      int length,
      @Nullable String lengthField,
      int count,
      @Nullable String countField,
      @Nullable String map,
      List<Spec> members) {}

  private final List<Spec> specs = new ArrayList<>();
  private final LittleEndian payload = new LittleEndian();
  private final List<FieldNode> expected = new ArrayList<>();

  /** An event without fields. */
  public TypedEvent() {}

  /** A value whose size follows from its type or from itself. */
  public TypedEvent field(String name, int in, int out, EncodedValue value) {
    return add(new Spec(name, in, out, 0, null, 1, null, null, List.of()), value, null);
  }

  /** An integer of which a value map says what it means. */
  public TypedEvent mapped(
      String name, int in, String map, EncodedValue value, @Nullable String meaning) {
    return add(new Spec(name, in, 0, 0, null, 1, null, map, List.of()), value, meaning);
  }

  /** A text or binary value whose length is in the description. */
  public TypedEvent sized(String name, int in, int out, int length, EncodedValue value) {
    return add(new Spec(name, in, out, length, null, 1, null, null, List.of()), value, null);
  }

  /** A text or binary value whose length is in an earlier field. */
  public TypedEvent sizedBy(String name, int in, int out, String lengthField, EncodedValue value) {
    return add(new Spec(name, in, out, 0, lengthField, 1, null, null, List.of()), value, null);
  }

  private TypedEvent add(Spec spec, EncodedValue value, @Nullable String meaning) {
    specs.add(spec);
    payload.bytes(value.bytes().bytes());
    expected.add(FieldNode.mapped(spec.name, value.text(), meaning));
    return this;
  }

  /**
   * An array.
   *
   * @param countField the earlier field that has the count; null: the description has it, and there
   *     are two or more
   */
  public TypedEvent array(
      String name, int in, int out, @Nullable String countField, List<EncodedValue> values) {
    int count = countField == null ? values.size() : 1;
    specs.add(new Spec(name, in, out, 0, null, count, countField, null, List.of()));
    values.forEach(value -> payload.bytes(value.bytes().bytes()));
    expected.add(FieldNode.array(name, values.stream().map(EncodedValue::text).toList()));
    return this;
  }

  /** A structure. */
  public TypedEvent struct(String name, Consumer<TypedEvent> content) {
    TypedEvent made = filled(content);
    specs.add(new Spec(name, -1, 0, 0, null, 1, null, null, List.copyOf(made.specs)));
    payload.bytes(made.payload.toByteArray());
    expected.add(FieldNode.group(name, made.expected));
    return this;
  }

  /**
   * An array of structures.
   *
   * @param countField as of {@link #array}
   * @param shape fills one structure: the description of all
   * @param contents fill the elements, all of that shape
   */
  public TypedEvent structs(
      String name,
      @Nullable String countField,
      Consumer<TypedEvent> shape,
      List<Consumer<TypedEvent>> contents) {
    int count = countField == null ? contents.size() : 1;
    List<Spec> members = List.copyOf(filled(shape).specs);
    specs.add(new Spec(name, -1, 0, 0, null, count, countField, null, members));
    List<FieldNode> elements = new ArrayList<>();
    for (Consumer<TypedEvent> content : contents) {
      TypedEvent made = filled(content);
      payload.bytes(made.payload.toByteArray());
      elements.add(FieldNode.group("[" + elements.size() + "]", made.expected));
    }
    expected.add(FieldNode.group(name, elements));
    return this;
  }

  private static TypedEvent filled(Consumer<TypedEvent> content) {
    TypedEvent made = new TypedEvent();
    content.accept(made);
    return made;
  }

  /** Returns the descriptions of the fields. */
  public List<Spec> specs() {
    return List.copyOf(specs);
  }

  /** The payload. */
  public byte[] payload() {
    return payload.toByteArray();
  }

  /** Returns the fields that a reader has to find. */
  public List<FieldNode> expected() {
    return List.copyOf(expected);
  }
}
