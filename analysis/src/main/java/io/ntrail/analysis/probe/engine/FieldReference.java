package io.ntrail.analysis.probe.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Mention of a field of events, with room for the place where it was found last. It may lie in
 * structures and lists: then steps lead to it.
 */
public final class FieldReference {
  /** Step to an element of a list; other steps are names of members. */
  public static final String ELEMENT = "[]";

  /** Step to the number of elements of a list. */
  public static final String COUNT = "[count]";

  private final int argument;
  private final String name;
  private final List<String> steps;
  private long[] indices = {};
  private @Nullable Object owner;
  private int place;

  /** A mention by name of a field of {@code args[0]}. */
  public FieldReference(String name) {
    this(0, name);
  }

  /** A mention by name of a field of an argument. */
  public FieldReference(int argument, String name) {
    this(argument, name, List.of());
  }

  /**
   * A mention of what lies in a field of an argument.
   *
   * @param steps from the field on: names of members, {@link #ELEMENT}, {@link #COUNT}
   */
  public FieldReference(int argument, String name, List<String> steps) {
    this.argument = argument;
    this.name = name;
    this.steps = List.copyOf(steps);
  }

  /** Returns the number of the argument that it is a field of. */
  public int argument() {
    return argument;
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the steps from the field on. */
  public List<String> steps() {
    return steps;
  }

  /** Tells which elements are meant, one number for each step to an element. */
  public FieldReference at(long[] elements) {
    indices = elements;
    return this;
  }

  /** Tells that the elements of another mention are meant. */
  public FieldReference like(FieldReference other) {
    return at(other.indices);
  }

  /** Returns the number of the element that a step to one means, by the order of such steps. */
  public long index(int number) {
    return indices[number];
  }

  /** Returns true if the place of an owner is known. */
  @SuppressWarnings("ReferenceEquality") // the owner itself, not one like it
  public boolean isOf(Object its) {
    return owner == its;
  }

  /** Returns the place that was kept. */
  public int place() {
    return place;
  }

  /** Keeps a place. */
  public void keep(Object its, int at) {
    owner = its;
    place = at;
  }
}
