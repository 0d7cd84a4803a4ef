package io.ntrail.analysis.probe.engine;

import org.jspecify.annotations.Nullable;

/** Mention of a field of events, with room for the place where it was found last. */
public final class FieldReference {
  private final int argument;
  private final String name;
  private @Nullable Object owner;
  private int place;

  /** A mention by name of a field of {@code args[0]}. */
  public FieldReference(String name) {
    this(0, name);
  }

  /** A mention by name of a field of an argument. */
  public FieldReference(int argument, String name) {
    this.argument = argument;
    this.name = name;
  }

  /** Returns the number of the argument that it is a field of. */
  public int argument() {
    return argument;
  }

  /** Returns the name. */
  public String name() {
    return name;
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
