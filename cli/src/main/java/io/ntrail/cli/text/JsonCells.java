package io.ntrail.cli.text;

import io.ntrail.formats.bytes.Bytes;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes values as members of an object. */
public final class JsonCells implements CellWriter {
  private final Json json;
  private Json.Key key = new Json.Key("");

  /** Writes to an object of JSON. */
  public JsonCells(Json json) {
    this.json = json;
  }

  /** Begins the member that is written next. */
  public void begin(Json.Key member) {
    key = member;
  }

  /** Returns true if it writes there. */
  public boolean isOf(Json other) {
    return json == other;
  }

  @Override
  public void text(@Nullable String value) {
    json.key(key).text(value);
  }

  @Override
  public void name(@Nullable String value) {
    json.key(key).name(value);
  }

  @Override
  public void count(long value) {
    json.key(key).number(value);
  }

  @Override
  public void unsigned(long value) {
    json.key(key).unsigned(value);
  }

  @Override
  public void hex(long value) {
    json.key(key).hex(value);
  }

  @Override
  public void bytes(Bytes bytes, int at, int length) {
    json.key(key).bytes(bytes, at, length);
  }

  @Override
  public void hexCount(long value) {
    json.key(key).number(value);
  }

  @Override
  public void real(double value) {
    json.key(key).real(value);
  }

  @Override
  public void flag(boolean value) {
    json.key(key).bool(value);
  }

  @Override
  public <T> void shaped(T of, Function<T, String> text, BiConsumer<T, Json> shape) {
    shape.accept(of, json.key(key));
  }

  @Override
  public void absent() {
    // An absent member has no key either.
  }
}
